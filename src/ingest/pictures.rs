//! Adds the pictures and other files of an imported folder or export to the site. The rule: a refused file stays unchanged in the text, and the report names it
//! with the reason; it never stops the import. Bytes that the site already has are not decoded again.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::assets::AssetLibrary;
use crate::content::assets::{AssetEditor, NewAsset};
use crate::content::commands::Edited;
use crate::content::{Content, ContentError, Result};
use crate::model::asset::is_file_name;
use crate::model::file_format::FileFormat;
use crate::model::{Actor, ActorKind, AssetHash, AssetName, Enclosure, Role, Slug};

use super::report::{ImportOptions, ImportReport, PictureCounts};
use crate::import::jsonl::{ASSETS_FOLDER, AssetRecord};
use crate::import::{self, ImportSource, ImportedCover, ImportedPost, ImportedTerm, Media, Note, OfExport};

/// The assets of an import, by the paths of their files.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    root: PathBuf,
    /// The files of an export of another system.
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
    let (media, named) = (source.media().cloned(), &source.found.pictures);
    let none = || Pictures { media: source.media().cloned(), ..Pictures::default() };
    let exported = source.assets();
    let folder = source.folder().or(source.media().map(Media::root));
    let Some(root) = folder.or(exported.map(|(folder, _)| folder)) else { return Ok(none()) };
    let Some(library) = content.asset_library() else {
        let files =
            named.iter().filter(|picture| picture.file.is_ok()).count() + exported.map_or(0, |(_, all)| all.len());
        if files > 0 {
            let text = format!(
                "{files} pictures and files stay as they are, because there is no place for them (`assets.store`)"
            );
            report.notes.push(Note { origin: "pictures".to_owned(), text });
        }
        return Ok(none());
    };
    let mut pictures = Pictures { root: root.to_owned(), media, assets: HashMap::new() };
    let (reader, actor) = (content.reader(), Actor::new(ActorKind::Import, "import", Role::Editor));
    let editor = AssetEditor::new(content, &reader, &actor)?;
    let (accepted, counts, notes) = (HashSet::new(), PictureCounts::default(), Vec::new());
    let mut adding = Adding { library, editor, root, options, accepted, counts, notes };
    if let Some((_, records)) = exported {
        adding.add_exported(records, &mut report.notes).await?;
    }
    let mut refused: HashMap<&str, String> = HashMap::new();
    // A file that several texts name is added once, with the first alternative text that any of them gives.
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
                None => match adding.add(file, Said::of(file, alts.get(file.as_str()).copied())).await? {
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
            let origin = format!("{}, {} {}", picture.origin, noun(&picture.address), picture.address);
            report.notes.push(Note { origin, text: format!("is not imported: {reason}") });
        }
    }
    adding.editor.log_imported(if options.dry_run { 0 } else { adding.counts.made });
    report.notes.append(&mut adding.notes);
    report.pictures = adding.counts;
    Ok(pictures)
}

/// The word for a file with this address in a report.
fn noun(address: &str) -> &'static str {
    if FileFormat::of_name(address).is_some() { "file" } else { "picture" }
}

/// The description of a picture in the source.
#[derive(Clone, Copy)]
struct Said<'a> {
    name: Option<&'a str>,
    alt: Option<&'a str>,
    /// The record of the picture in an export of Tidings.
    record: Option<&'a AssetRecord>,
}

impl<'a> Said<'a> {
    fn of(file: &'a str, alt: Option<&'a str>) -> Self {
        Self { name: file.rsplit('/').next().filter(|name| is_file_name(name)), alt, record: None }
    }

    fn in_record(record: &'a AssetRecord) -> Self {
        Self { name: record.original_name.as_deref(), alt: record.alt.as_deref(), record: Some(record) }
    }
}

/// The state while the pictures of an import are added.
struct Adding<'a> {
    library: &'a AssetLibrary,
    editor: AssetEditor<'a>,
    root: &'a Path,
    options: ImportOptions,
    /// The pictures that a dry run would have added.
    accepted: HashSet<AssetHash>,
    counts: PictureCounts,
    notes: Vec<Note>,
}

impl Adding<'_> {
    /// Adds the pictures of an export of Tidings, even those that no text names.
    async fn add_exported(&mut self, records: &[AssetRecord], notes: &mut Vec<Note>) -> Result<()> {
        for record in records {
            let file = format!("{ASSETS_FOLDER}/{}", record.file);
            // Links, and FIFOs, whose opening would wait for a writer, are not files of an export.
            let is_file = self.root.join(&file).symlink_metadata().is_ok_and(|found| found.is_file());
            let text = match is_file {
                false => "is not imported: there is no such file beside the export".to_owned(),
                true => match self.add(&file, Said::in_record(record)).await? {
                    Ok(name) if name == record.file => continue,
                    Ok(name) => format!("its bytes have changed: it is imported as {name}, which no text names"),
                    Err(reason) => format!("is not imported: {reason}"),
                },
            };
            notes.push(Note { origin: format!("{} {file}", noun(&file)), text });
        }
        Ok(())
    }

    /// Adds a file, and returns its asset, or the reason why it is refused.
    async fn add(&mut self, file: &str, said: Said<'_>) -> Result<std::result::Result<AssetName, String>> {
        let opened = match open(&self.root.join(file), self.library.limits().bytes_of(Some(file))) {
            Ok(opened) => opened,
            Err(reason) => return Ok(Err(reason)),
        };
        let clean = match self.library.clean(opened, Some(file)).await {
            Ok(clean) => clean,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let (asset, Said { name, alt, record }) = (clean.name().clone(), said);
        if !clean.left_out().is_empty() {
            let text = format!("is imported without {} (docs/assets.md#svg)", clean.left_out().join(" and "));
            self.notes.push(Note { origin: format!("{} {file}", noun(file)), text });
        }
        match refusal(self.editor.existing(&asset, name, alt).await)? {
            Err(reason) => return Ok(Err(reason)),
            Ok(found) if found.is_some() || self.accepted.contains(&asset.hash) => {
                self.counts.unchanged += 1;
                return Ok(Ok(asset));
            }
            Ok(_) => {}
        }
        let ready = match self.library.decode(clean).await {
            Ok(ready) => ready,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if self.options.dry_run {
            self.accepted.insert(asset.hash.clone());
            self.counts.made += 1;
            return Ok(Ok(asset));
        }
        let new = NewAsset {
            ready,
            name: name.map(str::to_owned),
            alt: alt.map(str::to_owned),
            caption: record.and_then(|record| record.caption.clone()),
            focal_point: record.and_then(|record| record.focal_point),
            created_at: record.map(|record| record.created_at),
            version: record.map_or(1, |record| record.version),
        };
        let added = refusal(self.editor.add(new).await)?;
        self.counts.made += usize::from(added.is_ok());
        Ok(added.map(|added| added.asset.facts.name))
    }
}

/// Converts every error to a refusal of the picture, except a failure of the store, which ends the import.
fn refusal<T>(done: Result<Edited<T>>) -> Result<std::result::Result<T, String>> {
    match done {
        Ok(Ok(done)) => Ok(Ok(done)),
        Ok(Err(errors)) => Ok(Err(errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; "))),
        Err(error @ ContentError::Store(_)) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Opens a file unless it is too large.
fn open(path: &Path, bytes_max: u64) -> std::result::Result<File, String> {
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    match bytes > bytes_max {
        true => Err(format!(
            "the file has {bytes} bytes; at most {bytes_max} are accepted (`assets.file_bytes`, `assets.image_bytes`)"
        )),
        false => Ok(file),
    }
}

impl Pictures {
    /// Sets the pictures of authors. `avatars`: the files, by the slugs of the authors.
    pub(super) fn give_avatars(&self, avatars: &[(Slug, String)], authors: &mut [ImportedTerm]) {
        for (slug, file) in avatars {
            let author = authors.iter_mut().find(|author| author.slug.as_ref() == Some(slug));
            let picture = self.assets.get(file).filter(|name| name.kind.is_image());
            if let Some((author, name)) = author.zip(picture) {
                author.profile.avatar.get_or_insert_with(|| name.hash.clone());
            }
        }
    }

    /// Replaces the files in the body, the cover and the enclosure of a post or page by their assets. In a file of an export, an address that names an asset is
    /// replaced even without the picture, as in JSON Lines.
    pub(super) fn replace(&self, post: &mut ImportedPost) {
        let ImportedPost { origin, markdown, cover, enclosure, of_export, .. } = post;
        let of_export = of_export.as_ref();
        *enclosure = enclosure.take().and_then(|found| self.enclosure(origin, found, of_export));
        let asset = |file: &str| self.assets.get(file).cloned();
        if let Some(media) = &self.media {
            if let ImportedCover::File { address, body_below, .. } = cover {
                let name = media.file_of(address).and_then(Result::ok).and_then(|file| asset(&file));
                if let (Some(_), Some(below)) = (&name, body_below.take()) {
                    *markdown = below;
                }
                let picture = name.filter(|name| name.kind.is_image());
                *cover = picture.map_or(ImportedCover::Unknown, |name| ImportedCover::Asset(name.hash));
            }
            if !self.assets.is_empty() {
                *markdown = media.replaced(markdown, asset);
            }
            return;
        }
        if let ImportedCover::File { address, .. } = &*cover {
            let found = import::resolve_picture(&self.root, origin, address).ok().and_then(|file| asset(&file));
            let exported = of_export.and_then(|_| Some(import::of_relative_address(origin, address)?.0));
            let picture = found.or(exported).filter(|name| name.kind.is_image());
            *cover = picture.map_or(ImportedCover::None, |name| ImportedCover::Asset(name.hash));
        }
        match of_export {
            None if self.assets.is_empty() => {}
            None => *markdown = import::with_assets(&self.root, origin, markdown, asset),
            Some(OfExport { asset_base: None, .. }) => {}
            Some(OfExport { asset_base: Some(base), .. }) => {
                let named = |name: AssetName| asset(&format!("assets/{name}")).unwrap_or(name);
                *markdown = import::with_server_addresses(origin, base, markdown, named);
            }
        }
    }

    /// The enclosure of a post, which may be a file; `None` if the file was not added.
    fn enclosure(&self, origin: &str, named: Enclosure, of_export: Option<&OfExport>) -> Option<Enclosure> {
        let is_web = named.check().is_ok();
        let file = match &self.media {
            Some(media) => media.file_of(&named.url).and_then(Result::ok),
            None if is_web => None,
            None => import::resolve_picture(&self.root, origin, &named.url).ok(),
        };
        let found = file.and_then(|file| Some((self.assets.get(&file)?, file)));
        match (found, of_export) {
            (Some((name, file)), None) => {
                // Only the bytes of a picture change when it is cleaned, so other files have the same size.
                let read = self.root.join(file).metadata().ok().filter(|_| !name.kind.is_image());
                Some(Enclosure::of_name(name, read.and_then(|read| i32::try_from(read.len()).ok())))
            }
            (None, _) if is_web => Some(named),
            (found, Some(_)) => {
                let exported = || Some(import::of_relative_address(origin, &named.url)?.0);
                let name = found.map(|(name, _)| name.clone()).or_else(exported)?;
                Some(Enclosure { url: name.path(), ..named })
            }
            (None, None) => None,
        }
    }
}
