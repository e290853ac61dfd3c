//! Checks the declared fields of imported posts and pages. The rule: a post or page that does not fit is not imported, and the reason names the field. The page
//! of a folder without a file has no fields, so it is not checked.

use crate::model::{DeclaredObject, Metadata, SiteFields};

use crate::import::{Failed, ImportSource, ImportedPage};

pub(super) struct DeclaredFields {
    fields: SiteFields,
    /// Whether the source has only texts, from which numbers and booleans are parsed.
    has_only_texts: bool,
}

impl DeclaredFields {
    pub(super) fn of(source: &ImportSource, fields: &SiteFields) -> Self {
        Self { fields: fields.clone(), has_only_texts: source.has_only_texts() }
    }

    /// The metadata of a post. `metadata`: `None` if the source has none. `is_new`: whether no stored post exists, whose metadata would be kept.
    ///
    /// # Errors
    /// Each field that does not fit, with the reason.
    pub(super) fn of_post(&self, metadata: Option<Metadata>, is_new: bool) -> Result<Option<Metadata>, String> {
        match (&self.fields.of_posts, metadata) {
            (Some(_), None) if !is_new => Ok(None),
            (Some(declared), metadata) => self.checked(declared, metadata.unwrap_or_default()).map(Some),
            (None, metadata) => Ok(metadata),
        }
    }

    /// The pages whose fields fit. Adds the others to `failed`.
    pub(super) fn of_pages(&self, pages: Vec<ImportedPage>, failed: &mut Vec<Failed>) -> Vec<ImportedPage> {
        let Some(declared) = &self.fields.of_pages else { return pages };
        let mut fitting = Vec::with_capacity(pages.len());
        for mut page in pages {
            match self.checked(declared, page.post.metadata.take().unwrap_or_default()) {
                Ok(metadata) => {
                    page.post.metadata = Some(metadata);
                    fitting.push(page);
                }
                Err(reason) => failed.push(Failed { origin: page.name(), reason }),
            }
        }
        fitting
    }

    fn checked(&self, declared: &DeclaredObject, metadata: Metadata) -> Result<Metadata, String> {
        let metadata = match self.has_only_texts {
            true => declared.read_from_texts(&metadata).map_err(|bad| format!("its metadata {bad}"))?,
            false => metadata,
        };
        let misfits: Vec<String> = declared.misfits_of(&metadata).iter().map(ToString::to_string).collect();
        if misfits.is_empty() { Ok(metadata) } else { Err(misfits.join("; ")) }
    }
}
