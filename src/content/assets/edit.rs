//! Adds, changes and deletes assets. The rule: errors that the caller can fix are [`UserError`]s, and then nothing was changed.

use crate::assets::{AssetLibrary, ReadyAsset};
use crate::content::access::permission;
use crate::content::commands::{Current, Edited, Patch, UserError};
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::asset::{self as rows, Pending, Step};
use crate::content::write::{retry_on_conflict, retry_unless_unknown};
use crate::content::{Content, Reader, audit, random};
use crate::keys::{Table, asset as keys};
use crate::model::asset::{ALT_CHARS_MAX, CAPTION_CHARS_MAX, is_file_name};
use crate::model::{Actor, ActorKind, Asset, AssetHash, AssetName, FocalPoint, Instant, NodeId, Role};
use crate::store::{Batch, Etag, Operation, Precondition, Store, StoreError};
use crate::telemetry::with_causes;

use super::pending::{begin, end, of_bytes, remove};

/// The input of a new picture or file.
#[derive(Debug, Clone)]
pub(crate) struct NewAsset {
    pub ready: ReadyAsset,
    /// The name of its file.
    pub name: Option<String>,
    pub alt: Option<String>,
    pub caption: Option<String>,
    pub focal_point: Option<FocalPoint>,
    /// `None` for the current time; an import passes the time from the export.
    pub created_at: Option<Instant>,
    /// The version: 1, or that of an asset in an export.
    pub version: i32,
}

impl NewAsset {
    /// An asset without a name, texts and a focal point.
    pub(crate) fn of(ready: ReadyAsset) -> Self {
        Self { ready, name: None, alt: None, caption: None, focal_point: None, created_at: None, version: 1 }
    }
}

/// The asset of an uploaded file.
#[derive(Debug, Clone)]
pub(crate) struct Added {
    pub asset: Asset,
    /// False if the site already had it.
    pub is_new: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct AssetChanges {
    pub alt: Patch<String>,
    pub caption: Patch<String>,
    /// In percent, from the left and from the top.
    pub focal_point: Patch<(i32, i32)>,
}

impl AssetChanges {
    /// An error for each value that only a picture can have.
    fn that_need_a_picture(&self) -> Vec<UserError> {
        let (alt, caption) = (matches!(self.alt, Patch::Set(_)), matches!(self.caption, Patch::Set(_)));
        let given = [("alt", alt), ("caption", caption), ("focalPoint", matches!(self.focal_point, Patch::Set(_)))];
        given.into_iter().filter(|(_, is_set)| *is_set).map(|(field, _)| only_of_pictures(field)).collect()
    }
}

pub(crate) struct AssetEditor<'a> {
    store: &'a Store,
    /// `None` if this server has no storage for the bytes.
    library: Option<&'a AssetLibrary>,
    reader: &'a Reader,
    actor: &'a Actor,
}

impl<'a> AssetEditor<'a> {
    /// # Errors
    /// [`ContentError::Forbidden`] if the actor has no permission to change anything.
    pub(crate) fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Author, "this adds or changes pictures and files")?;
        Ok(Self { store: &content.store, library: content.assets.as_ref(), reader, actor })
    }

    /// Adds a picture or another file. If the site already has the same bytes, the existing asset is returned unchanged.
    pub(crate) async fn add(&self, new: NewAsset) -> Result<Edited<Added>> {
        let facts = &new.ready.facts;
        let (alt, caption) = match checked(&facts.name, new.name.as_deref(), new.alt, new.caption) {
            Ok(texts) => texts,
            Err(errors) => return Ok(Err(errors)),
        };
        let asset = Asset {
            facts: facts.clone(),
            original_name: new.name.clone(),
            created_at: new.created_at.unwrap_or(self.reader.now()),
            version: new.version,
            alt,
            caption,
            focal_point: new.focal_point,
        };
        let added = retry_on_conflict("an asset", || self.add_once(&new.ready, &asset)).await?;
        if added.is_new && self.actor.kind != ActorKind::Import {
            audit::log_asset(self.actor, "add_asset", added.asset.hash());
        }
        Ok(Ok(added))
    }

    /// Logs in one line how many assets an import has added.
    pub(crate) fn log_imported(&self, assets: usize) {
        if assets > 0 {
            audit::log_assets(self.actor, "add_assets", assets);
        }
    }

    /// The existing asset that [`Self::add`] would return unchanged for these bytes; `None` if the site does not have them. One point read.
    pub(crate) async fn existing(
        &self,
        asset: &AssetName,
        name: Option<&str>,
        alt: Option<&str>,
    ) -> Result<Edited<Option<Asset>>> {
        match checked(asset, name, alt.map(str::to_owned), None) {
            Ok(_) => Ok(Ok(self.find(&asset.hash).await?.map(|(asset, _)| asset))),
            Err(errors) => Ok(Err(errors)),
        }
    }

    async fn add_once(&self, ready: &ReadyAsset, asset: &Asset) -> Result<Added> {
        let hash = asset.hash();
        if let Some((asset, _)) = self.find(hash).await? {
            return Ok(Added { asset, is_new: false });
        }
        let without =
            || ContentError::Internal { what: "this server has no place for the bytes of assets", source: None };
        let library = self.library.ok_or_else(without)?;
        let pending = self.pending(asset, Step::Upload)?;
        let held = begin(self.store, &pending, self.precondition(hash).await?).await?;
        if let Err(error) = library.put(ready).await {
            // If some bytes were written, `recover` deletes them.
            return Err(of_bytes(error));
        }
        match self.replace_pending(asset, held.clone()).await {
            Err(ContentError::Store(StoreError::Precondition(_))) if self.find(hash).await?.is_some() => {
                // Another client has uploaded the same picture at the same time.
                let ended = end(self.store, hash, held).await;
                ended.or_else(|error| match error {
                    ContentError::Store(StoreError::Precondition(_)) => Ok(()),
                    error => Err(error),
                })?;
                Err(StoreError::Precondition(keys::asset(hash).to_string()).into())
            }
            done => done.map(|()| Added { asset: asset.clone(), is_new: true }),
        }
    }

    /// Takes over an upload that another client has begun, because both write the same bytes, but not a removal.
    async fn precondition(&self, hash: &AssetHash) -> Result<Precondition> {
        let Some(row) = self.store.get(Table::Assets.name(), &keys::pending(hash)).await? else {
            return Ok(Precondition::Absent);
        };
        match rows::read_pending(&row)?.step {
            Step::Upload => Ok(Precondition::Match(row.etag)),
            Step::Removal => Err(ContentError::Busy),
        }
    }

    /// Makes the asset visible.
    async fn replace_pending(&self, asset: &Asset, held: Etag) -> Result<()> {
        let pending = keys::pending(asset.hash());
        let delete = Operation::Delete { row: pending.row().to_owned(), precondition: Precondition::Match(held) };
        let [own, listed] = puts(asset, Precondition::Absent);
        self.commit(vec![delete, own, listed]).await
    }

    /// Changes the texts and the focal point of a picture that has this version.
    pub(crate) async fn update(&self, id: &str, version: i32, changes: AssetChanges) -> Result<Edited<Asset>> {
        let Some(hash) = hash_of(id) else { return Ok(Err(not_found())) };
        let mut errors = Vec::new();
        let of_file = changes.that_need_a_picture();
        let alt = described("alt", changes.alt, ALT_CHARS_MAX, &mut errors);
        let caption = described("caption", changes.caption, CAPTION_CHARS_MAX, &mut errors);
        let focal_point = focal_point(changes.focal_point, &mut errors);
        retry_unless_unknown("an asset", || async {
            let Some((mut asset, etag)) = self.find(&hash).await? else { return Ok(Err(not_found())) };
            let of_input = if asset.facts.image.is_some() { &errors } else { &of_file };
            let refused: Vec<_> = stale(&asset, version).into_iter().chain(of_input.iter().cloned()).collect();
            if !refused.is_empty() {
                return Ok(Err(refused));
            }
            let before = asset.clone();
            asset.alt = alt.clone().apply(asset.alt);
            asset.caption = caption.clone().apply(asset.caption);
            asset.focal_point = focal_point.apply(asset.focal_point);
            if asset != before {
                asset.version += 1;
                self.commit(puts(&asset, Precondition::Match(etag)).into()).await?;
                audit::log_asset(self.actor, "update_asset", &hash);
            }
            Ok(Ok(asset))
        })
        .await
    }

    /// Deletes an asset that has this version, and its bytes.
    ///
    /// # Errors
    /// [`ContentError::Forbidden`] if the actor has the role author, because other posts may show the asset.
    pub(crate) async fn delete(&self, id: &str, version: i32) -> Result<Edited<AssetHash>> {
        permission::require(self.actor, Role::Editor, "this deletes pictures and files")?;
        let Some(hash) = hash_of(id) else { return Ok(Err(not_found())) };
        let Some(library) = self.library else {
            let what = "this server has no place for pictures (`assets.store`); ask one that has";
            return Ok(Err(vec![UserError::invalid("id", what)]));
        };
        let held = retry_unless_unknown("an asset", || async {
            let Some((asset, etag)) = self.find(&hash).await? else { return Ok(Err(not_found())) };
            if let Some(stale) = stale(&asset, version) {
                return Ok(Err(vec![stale]));
            }
            let pending = self.pending(&asset, Step::Removal)?;
            let delete = |row: &str, precondition| Operation::Delete { row: row.to_owned(), precondition };
            let key = keys::pending(&hash);
            let operations = vec![
                // An abandoned second upload may have left this row.
                Operation::Put {
                    row: key.row().to_owned(),
                    properties: rows::pending_row(&pending),
                    precondition: Precondition::None,
                },
                delete(keys::asset(&hash).row(), Precondition::Match(etag)),
                delete(keys::listed(asset.created_at, &hash).row(), Precondition::None),
            ];
            let written = self.store.commit(Table::Assets.name(), &Batch::new(key.partition(), operations)?).await?;
            Ok(Ok((pending, written.into_iter().flatten().next())))
        });
        let (pending, held) = match held.await? {
            Ok(held) => held,
            Err(refused) => return Ok(Err(refused)),
        };
        audit::log_asset(self.actor, "delete_asset", &hash);
        let held = held.ok_or_else(|| StoreError::corrupt("a row that was put has no ETag"))?;
        // The asset is already deleted; if its bytes are not, `recover` deletes them.
        if let Err(error) = remove(self.store, library, &pending, held).await {
            tracing::warn!(error = with_causes(&error), asset = %hash, "assets.bytes_kept");
        }
        Ok(Ok(hash))
    }

    async fn find(&self, hash: &AssetHash) -> Result<Option<(Asset, Etag)>> {
        let Some(row) = self.store.get(Table::Assets.name(), &keys::asset(hash)).await? else { return Ok(None) };
        Ok(Some((rows::read(&row)?, row.etag)))
    }

    async fn commit(&self, operations: Vec<Operation>) -> Result<()> {
        let partition = keys::PARTITION;
        self.store.commit(Table::Assets.name(), &Batch::new(partition, operations)?).await?;
        Ok(())
    }

    fn pending(&self, asset: &Asset, step: Step) -> Result<Pending> {
        let random = i64::from_le_bytes(random::bytes()?);
        Ok(Pending { name: asset.facts.name.clone(), step, since: self.reader.now(), random })
    }
}

/// Puts of an asset's row and of its copy in the list. Only the row has a precondition.
fn puts(asset: &Asset, precondition: Precondition) -> [Operation; 2] {
    let properties = rows::row(asset);
    let put = |row: &str, properties, precondition| Operation::Put { row: row.to_owned(), properties, precondition };
    let (own, listed) = (keys::asset(asset.hash()), keys::listed(asset.created_at, asset.hash()));
    [put(own.row(), properties.clone(), precondition), put(listed.row(), properties, Precondition::None)]
}

/// Checks the name and the texts of a new asset. Returns the alternative text and the caption as they are stored.
fn checked(
    asset: &AssetName,
    name: Option<&str>,
    alt: Option<String>,
    caption: Option<String>,
) -> Edited<(Option<String>, Option<String>)> {
    let mut errors = Vec::new();
    if name.is_some_and(|name| !is_file_name(name)) {
        errors.push(UserError::invalid(
            "name",
            "the name of a file is one part of a path: no / or \\, and no control characters",
        ));
    }
    let alt = described("alt", alt.into(), ALT_CHARS_MAX, &mut errors).apply(None);
    let caption = described("caption", caption.into(), CAPTION_CHARS_MAX, &mut errors).apply(None);
    if !asset.kind.is_image() {
        let given = [("alt", alt.is_some()), ("caption", caption.is_some())];
        errors.extend(given.into_iter().filter(|(_, is_set)| *is_set).map(|(field, _)| only_of_pictures(field)));
    }
    if errors.is_empty() { Ok((alt, caption)) } else { Err(errors) }
}

fn hash_of(id: &str) -> Option<AssetHash> {
    match id.parse() {
        Ok(NodeId::Asset(hash)) => Some(hash),
        _ => None,
    }
}

fn stale(asset: &Asset, version: i32) -> Option<UserError> {
    (asset.version != version).then(|| UserError::conflict(Current::Asset(asset.clone())))
}

fn only_of_pictures(field: &'static str) -> UserError {
    UserError::invalid(field, "only a picture has this text or point, and this asset is another file")
}

fn not_found() -> Vec<UserError> {
    vec![UserError::not_found("id", "there is no asset with this id")]
}

/// A text of one paragraph; an empty one clears the field.
fn described(field: &'static str, text: Patch<String>, chars_max: usize, errors: &mut Vec<UserError>) -> Patch<String> {
    let Patch::Set(text) = text else { return text };
    let text = text.trim();
    if text.chars().count() > chars_max {
        errors.push(UserError::too_large(field, format!("the text has at most {chars_max} characters")));
    } else if text.contains(|character: char| character.is_control() && character != '\n') {
        errors.push(UserError::invalid(field, "the text has control characters"));
    }
    if text.is_empty() { Patch::Clear } else { Patch::Set(text.to_owned()) }
}

fn focal_point(patch: Patch<(i32, i32)>, errors: &mut Vec<UserError>) -> Patch<FocalPoint> {
    let bad = |(x, y)| UserError::invalid("focalPoint", format!("{x} and {y} are not both percentages from 0 to 100"));
    let point = patch.map(|(x, y)| FocalPoint::of(x, y).ok_or_else(|| bad((x, y)))).transpose();
    point.map_err(|error| errors.push(error)).unwrap_or_default()
}
