//! The pictures of an export: those that a body, a cover or metadata names. The rule: each is written once, under its own name; a missing one gets a note, and
//! its address stays unchanged.

use std::collections::{BTreeSet, HashSet};

use crate::assets::AssetLibrary;
use crate::content::{Content, Reader};
use crate::import::{
    ImportedCover, Note, asset_names, assets_of_pictures, relative_address, with_relative_addresses,
    with_server_addresses,
};
use crate::model::{AssetHash, AssetName, Enclosure, NodeId};

use crate::export::ExportError;
use crate::export::folder::Folder;

pub(super) struct Pictures<'a> {
    reader: Reader,
    /// `None` without storage for pictures.
    library: Option<&'a AssetLibrary>,
    /// The pictures that were already written.
    written: HashSet<AssetName>,
    /// Whether a picture is named although the site has no storage for pictures.
    is_without: bool,
    notes: Vec<Note>,
}

impl<'a> Pictures<'a> {
    pub(super) fn new(content: &'a Content) -> Self {
        let (reader, library) = (content.reader(), content.asset_library());
        Self { reader, library, written: HashSet::new(), is_without: false, notes: Vec::new() }
    }

    /// The number of written pictures.
    pub(super) fn written(&self) -> usize {
        self.written.len()
    }

    pub(super) fn into_notes(mut self) -> Vec<Note> {
        if self.is_without {
            self.note(
                "pictures",
                "are not exported, because there is no place for pictures (`assets.store`)".to_owned(),
            );
        }
        self.notes
    }

    /// Writes the picture that an object names, and returns its name in the file at this path. `noun`: `cover` or `avatar`.
    pub(super) async fn of_object(
        &mut self,
        path: &str,
        noun: &str,
        named: Option<AssetHash>,
        folder: &mut Folder,
    ) -> Result<ImportedCover, ExportError> {
        let Some(hash) = named else { return Ok(ImportedCover::None) };
        if let Some(asset) = self.reader.asset(&hash).await?.filter(|asset| asset.facts.image.is_some()) {
            let name = asset.facts.name;
            if self.write(&name, folder).await? {
                let address = relative_address(path, &name);
                return Ok(ImportedCover::File { address, alt: asset.alt, body_below: None });
            }
        }
        if self.library.is_some() {
            self.note(path, format!("its {noun} {} does not exist", NodeId::Asset(hash.clone())));
        }
        Ok(ImportedCover::Asset(hash))
    }

    /// Writes the file of a post's enclosure, and returns the enclosure for the file at this path.
    pub(super) async fn of_enclosure(
        &mut self,
        path: &str,
        enclosure: Option<Enclosure>,
        folder: &mut Folder,
    ) -> Result<Option<Enclosure>, ExportError> {
        let Some(enclosure) = enclosure else { return Ok(None) };
        let Some(name) = enclosure.asset() else { return Ok(Some(enclosure)) };
        if self.write(&name, folder).await? {
            let own = self.written.get(&name).unwrap_or(&name);
            return Ok(Some(Enclosure { url: relative_address(path, own), ..enclosure }));
        }
        if self.library.is_some() {
            self.note(path, format!("its enclosure {} does not exist", enclosure.url));
        }
        Ok(Some(enclosure))
    }

    /// Writes the pictures that the texts of a file name.
    pub(super) async fn of_texts(
        &mut self,
        path: &str,
        markdown: &str,
        metadata: &str,
        folder: &mut Folder,
    ) -> Result<(), ExportError> {
        for name in asset_names(markdown).into_iter().chain(asset_names(metadata)) {
            self.write(&name, folder).await?;
        }
        let own = assets_of_pictures(markdown).into_iter().filter(|(base, _)| base.is_empty());
        let missing: BTreeSet<String> =
            own.filter(|(_, name)| !self.written.contains(name)).map(|(_, name)| name.path()).collect();
        match (self.library, missing.first()) {
            (Some(_), Some(only)) if missing.len() == 1 => {
                self.note(path, format!("its picture {only} does not exist"));
            }
            (Some(_), Some(first)) => {
                self.note(path, format!("{} of its pictures do not exist, such as {first}", missing.len()));
            }
            _ => {}
        }
        Ok(())
    }

    /// The body of a file with relative addresses, and the base that they had; the unchanged body if it names no
    /// picture, or if the import could not restore it.
    pub(super) fn with_relative_addresses(&self, path: &str, markdown: &str) -> (String, Option<String>) {
        // An address of another size is none of the export.
        let has = |name: &AssetName| self.written.get(name).is_some_and(|written| written.size == name.size);
        let is_server = |base: &str| base.is_empty() || base.starts_with("//") || base.contains("://");
        let mut named = assets_of_pictures(markdown).into_iter();
        let Some((base, _)) = named.find(|(base, name)| is_server(base) && has(name)) else {
            return (markdown.to_owned(), None);
        };
        let relative = with_relative_addresses(path, base, markdown, has);
        match with_server_addresses(path, base, &relative, |name| name) == markdown {
            true => (relative, Some(base.to_owned())),
            false => (markdown.to_owned(), None),
        }
    }

    /// Writes a picture, unless it was already written. Returns whether the site has it.
    async fn write(&mut self, name: &AssetName, folder: &mut Folder) -> Result<bool, ExportError> {
        let Some(library) = self.library else {
            self.is_without = true;
            return Ok(false);
        };
        if self.written.contains(name) {
            return Ok(true);
        }
        let asset = self.reader.asset(&name.hash).await?;
        let Some(name) = asset.map(|asset| asset.facts.name).filter(|own| own == name) else { return Ok(false) };
        let is_written = folder.add_picture(library, &name).await?;
        if is_written {
            self.written.insert(name);
        }
        Ok(is_written)
    }

    fn note(&mut self, path: &str, text: String) {
        self.notes.push(Note { origin: path.to_owned(), text });
    }
}
