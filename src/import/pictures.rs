//! Adds the pictures of an imported folder or export to the site. The rule: a picture that is refused stays as it is in the text, and is in the report with its file and
//! the reason; it never stops the import. Bytes that the site has, or that this import has met before, are not decoded again.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::assets::{AssetError, AssetLibrary};
use crate::content::assets::{AssetEditor, NewAsset};
use crate::content::commands::Edited;
use crate::content::{Content, ContentError, Result};
use crate::model::asset::is_file_name;
use crate::model::{Actor, ActorKind, AssetHash, AssetName, Role, Slug};

use super::markdown;
use super::media::Media;
use super::report::{ImportOptions, ImportReport};
use super::{ImportSource, ImportedCover, ImportedTerm, Note, OfExport};

/// The assets of the pictures of an import, by the paths of their files.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    root: PathBuf,
    /// Set for an export of another system.
    media: Option<Media>,
    assets: HashMap<String, AssetName>,
}

/// Adds every picture that the files name, each file once. A dry run only checks them.
///
/// # Errors
/// If the store fails.
pub(super) async fn add(
    content: &Content,
    source: &ImportSource,
    options: ImportOptions,
    report: &mut ImportReport,
) -> Result<Pictures> {
    let (media, named) = (source.media().cloned(), source.pictures());
    let none = || Pictures { media: source.media().cloned(), ..Pictures::default() };
    let Some(root) = source.folder().or(source.media().map(Media::root)) else { return Ok(none()) };
    let Some(library) = content.asset_library() else {
        let files = named.iter().filter(|picture| picture.file.is_ok()).count();
        if files > 0 {
            let text =
                format!("{files} pictures stay as they are, because there is no place for pictures (`assets.store`)");
            report.notes.push(Note { origin: "pictures".to_owned(), text });
        }
        return Ok(none());
    };
    let mut pictures = Pictures { root: root.to_owned(), media, assets: HashMap::new() };
    let (reader, actor) = (content.reader(), Actor::new(ActorKind::Import, "import", Role::Editor));
    let editor = AssetEditor::new(content, &reader, &actor)?;
    let mut adding = Adding { library, editor, root, options, accepted: HashSet::new(), refused: HashMap::new() };
    let mut refused: HashMap<&str, String> = HashMap::new();
    // A file that several texts name is added once: with what the first of them says about it that says anything.
    let mut alts: HashMap<&str, &str> = HashMap::new();
    for (file, alt) in named.iter().filter_map(|picture| picture.file.as_ref().ok().zip(picture.alt.as_ref())) {
        alts.entry(file).or_insert(alt);
    }
    for picture in named {
        let refusal = match &picture.file {
            Err(reason) => Some(reason.clone()),
            Ok(file) if pictures.assets.contains_key(file) => None,
            Ok(file) => match refused.get(file.as_str()) {
                Some(reason) => Some(reason.clone()),
                None => match adding.add(file, alts.get(file.as_str()).copied()).await? {
                    Ok(name) => {
                        pictures.assets.insert(file.clone(), name);
                        None
                    }
                    Err(reason) => {
                        refused.insert(file, reason.clone());
                        Some(reason)
                    }
                },
            },
        };
        if let Some(reason) = refusal {
            let origin = format!("{}, picture {}", picture.origin, picture.address);
            report.notes.push(Note { origin, text: format!("is not imported: {reason}") });
        }
    }
    Ok(pictures)
}

/// The pictures of one import.
struct Adding<'a> {
    library: &'a AssetLibrary,
    editor: AssetEditor<'a>,
    root: &'a Path,
    options: ImportOptions,
    /// The pictures that a dry run would have added.
    accepted: HashSet<AssetHash>,
    /// Those that cannot be decoded, by the hash of their bytes, and why.
    refused: HashMap<AssetHash, String>,
}

impl Adding<'_> {
    /// The asset of a file, or why it becomes none.
    async fn add(&mut self, file: &str, alt: Option<&str>) -> Result<std::result::Result<AssetName, String>> {
        let opened = match open(&self.root.join(file), self.library.limits().file_bytes) {
            Ok(opened) => opened,
            Err(reason) => return Ok(Err(reason)),
        };
        let clean = match self.library.clean(opened).await {
            Ok(clean) => clean,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let (asset, name) = (clean.name().clone(), file.rsplit('/').next().filter(|name| is_file_name(name)));
        match refusal(self.editor.existing(&asset.hash, name, alt).await)? {
            Err(reason) => return Ok(Err(reason)),
            Ok(Some(_)) => return Ok(Ok(asset)),
            Ok(None) if self.accepted.contains(&asset.hash) => return Ok(Ok(asset)),
            Ok(None) => {}
        }
        if let Some(reason) = self.refused.get(&asset.hash) {
            return Ok(Err(reason.clone()));
        }
        let picture = match self.library.decode(clean).await {
            Ok(picture) => picture,
            Err(error) => {
                let reason = error.to_string();
                if matches!(error, AssetError::Bad(_)) {
                    self.refused.insert(asset.hash, reason.clone());
                }
                return Ok(Err(reason));
            }
        };
        if self.options.dry_run {
            self.accepted.insert(asset.hash.clone());
            return Ok(Ok(asset));
        }
        let new = NewAsset { picture, name: name.map(str::to_owned), alt: alt.map(str::to_owned) };
        Ok(refusal(self.editor.add(new).await)?.map(|added| added.asset.facts.name))
    }
}

/// What the caller could fix refuses a picture, and so does everything but a failure of the store, which ends the import.
fn refusal<T>(done: Result<Edited<T>>) -> Result<std::result::Result<T, String>> {
    match done {
        Ok(Ok(done)) => Ok(Ok(done)),
        Ok(Err(errors)) => Ok(Err(errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; "))),
        Err(error @ ContentError::Store(_)) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// A file that is small enough.
fn open(path: &Path, bytes_max: u64) -> std::result::Result<File, String> {
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    match bytes > bytes_max {
        true => Err(format!("the file has {bytes} bytes; at most {bytes_max} are accepted (`assets.file_bytes`)")),
        false => Ok(file),
    }
}

impl Pictures {
    /// Gives authors the pictures that a file names for them. `avatars`: the files, by the slugs of the authors.
    pub(super) fn give_avatars(&self, avatars: &[(Slug, String)], authors: &mut [ImportedTerm]) {
        for (slug, file) in avatars {
            let author = authors.iter_mut().find(|author| author.slug.as_ref() == Some(slug));
            if let Some((author, name)) = author.zip(self.assets.get(file)) {
                author.profile.avatar.get_or_insert_with(|| name.hash.clone());
            }
        }
    }

    /// The body and the cover of a post or page, with the assets in place of the files. In a file of an export, an address that names an asset is its address also
    /// without the picture, as in JSON Lines.
    pub(super) fn replace(
        &self,
        origin: &str,
        markdown: &mut String,
        cover: &mut ImportedCover,
        of_export: Option<&OfExport>,
    ) {
        let asset = |file: &str| self.assets.get(file).cloned();
        if let Some(media) = &self.media {
            if let ImportedCover::File { address, body_below, .. } = cover {
                let name = media.file_of(address).and_then(Result::ok).and_then(|file| asset(&file));
                if let (Some(_), Some(below)) = (&name, body_below.take()) {
                    *markdown = below;
                }
                *cover = name.map_or(ImportedCover::Unknown, |name| ImportedCover::Asset(name.hash));
            }
            if !self.assets.is_empty() {
                *markdown = media.replaced(markdown, asset);
            }
            return;
        }
        if let ImportedCover::File { address, .. } = &*cover {
            let found = markdown::resolve_picture(&self.root, origin, address).ok().and_then(|file| asset(&file));
            let exported = of_export.and_then(|_| Some(markdown::of_relative_address(origin, address)?.0));
            *cover = found.or(exported).map_or(ImportedCover::None, |name| ImportedCover::Asset(name.hash));
        }
        match of_export {
            None if self.assets.is_empty() => {}
            None => *markdown = markdown::with_assets(&self.root, origin, markdown, asset),
            Some(OfExport { asset_base: None, .. }) => {}
            Some(OfExport { asset_base: Some(base), .. }) => {
                let named = |name: AssetName| asset(&format!("assets/{name}")).unwrap_or(name);
                *markdown = markdown::with_server_addresses(origin, base, markdown, named);
            }
        }
    }
}
