//! The settings of the web site that shows the content. The rule: a setting that would have no effect is an error.

use std::path::PathBuf;

use crate::graphql::persisted::read_text;
use crate::graphql::schema;
use crate::graphql::site_fields::FILE_BYTES_MAX;
use crate::http::settings::FeedSettings;
use crate::model::site::{SITE_NAME, Site, SiteAddresses, SitePaths, SiteUrl};
use crate::model::{AssetHash, NodeId, SiteFields};

use super::sources::Settings;
use super::{ConfigError, Setting, table::site as table};

/// The longest BCP 47 tag that is accepted: a language, a script, a region and a variant.
const LANGUAGE_BYTES_MAX: usize = 35;

/// # Errors
/// If a setting is invalid, or is set without the address of the site that it needs.
pub(super) fn site(settings: &Settings<'_>) -> Result<Site, ConfigError> {
    let url = settings.parse::<SiteUrl>(&table::URL)?;
    let useless = table::NEED_URL.iter().filter(|_| url.is_none()).find(|setting| settings.is_set(setting));
    if let Some(setting) = useless {
        return Err(settings.error_of(setting, format!("it has no effect without {}", table::URL.key)));
    }
    let text = |setting: &'static Setting| settings.text(setting).filter(|text| !text.trim().is_empty());
    let language = text(&table::LANGUAGE);
    if let Some(wrong) = language.as_deref().filter(|language| !is_language(language)) {
        return Err(settings.error_of(&table::LANGUAGE, format!("{wrong:?} is not a language such as en or pt-BR")));
    }
    let (image, paths) = (image(settings)?, paths(settings)?);
    let navigation = settings.parse(&table::NAVIGATION)?.unwrap_or_default();
    let host = || url.as_ref().map_or(SITE_NAME, SiteUrl::host).to_owned();
    Ok(Site {
        name: text(&table::NAME).unwrap_or_else(host),
        description: text(&table::DESCRIPTION),
        language,
        image,
        paths,
        navigation,
        url,
    })
}

/// Only the store knows whether the picture exists.
fn image(settings: &Settings<'_>) -> Result<Option<AssetHash>, ConfigError> {
    let Some(id) = settings.text(&table::IMAGE).filter(|id| !id.trim().is_empty()) else { return Ok(None) };
    match id.parse() {
        Ok(NodeId::Asset(hash)) => Ok(Some(hash)),
        _ => {
            let wrong =
                format!("{id:?} is not the id of a picture, such as asset-0123456789abcdef0123456789abcdef01234567");
            Err(settings.error_of(&table::IMAGE, wrong))
        }
    }
}

fn paths(settings: &Settings<'_>) -> Result<SitePaths, ConfigError> {
    Ok(SitePaths {
        time_zone: settings.need(&table::TIME_ZONE)?,
        post: settings.need(&table::POST_PATH)?,
        page: settings.need(&table::PAGE_PATH)?,
        tag: settings.need(&table::TAG_PATH)?,
        category: settings.need(&table::CATEGORY_PATH)?,
        author: settings.need(&table::AUTHOR_PATH)?,
        series: settings.need(&table::SERIES_PATH)?,
    })
}

/// The settings of the site that an import and the check of links need.
///
/// # Errors
/// If a setting is invalid.
pub fn site_addresses(settings: &Settings<'_>) -> Result<SiteAddresses, ConfigError> {
    Ok(SiteAddresses { url: settings.parse(&table::URL)?, paths: paths(settings)? })
}

/// The fields that the site declares; none if the setting is not set.
///
/// # Errors
/// If the file cannot be read, or declares fields that the schema cannot have. The error names the file, the place in
/// it, and what to do.
pub fn site_fields(settings: &Settings<'_>) -> Result<SiteFields, ConfigError> {
    let Some(path) = settings.text(&table::FIELDS).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(SiteFields::default());
    };
    let text = read_text(&path, FILE_BYTES_MAX as u64).map_err(|bad| settings.error_of(&table::FIELDS, bad))?;
    let bad = |bad| settings.error_of(&table::FIELDS, format!("{}, {bad}", path.display()));
    schema::site_fields(&text).map_err(bad)
}

/// # Errors
/// If a setting is invalid.
pub(super) fn feeds(settings: &Settings<'_>) -> Result<FeedSettings, ConfigError> {
    Ok(FeedSettings { content: settings.need(&table::FEED_CONTENT)?, posts: settings.number(&table::FEED_POSTS)? })
}

/// Whether the text has the form of a language tag: letters, then groups of letters and digits ("Tags for Identifying Languages", RFC 5646).
fn is_language(text: &str) -> bool {
    let is_group =
        |group: &str| (1..=8).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let first = text.split('-').next().unwrap_or_default();
    let begins = (2..=8).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    text.len() <= LANGUAGE_BYTES_MAX && begins && text.split('-').all(is_group)
}
