//! The language of an imported post or page. The rule: a source that has no information about it changes nothing.

use tidings_model::{Language, Post};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ImportedLanguage {
    /// The source has no information: the post keeps its language.
    #[default]
    Unknown,
    None,
    Tag(Language),
}

impl From<Option<Language>> for ImportedLanguage {
    fn from(language: Option<Language>) -> Self {
        language.map_or(Self::None, Self::Tag)
    }
}

impl ImportedLanguage {
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// The language after the import. `before`: the stored post.
    pub fn over(&self, before: Option<&Post>) -> Option<Language> {
        match self {
            Self::Unknown => before.and_then(|post| post.language.clone()),
            Self::None => None,
            Self::Tag(language) => Some(language.clone()),
        }
    }

    pub(crate) fn tag(&self) -> Option<&Language> {
        match self {
            Self::Tag(language) => Some(language),
            Self::Unknown | Self::None => None,
        }
    }
}
