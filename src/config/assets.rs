//! The settings of pictures and files. The rule: a file store always has storage for them, and the settings of a cloud are complete, or the error names the
//! missing one.

use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use crate::assets::{AssetLimits, AssetPlace, AzureContainer, S3Bucket};
use crate::store::azure::Connection;

use super::sources::Settings;
use super::{ConfigError, Setting, StoreSetting, table, table::assets as own};

/// The storage of the pictures and files, and their limits.
#[derive(Debug, Clone)]
pub struct AssetSettings {
    /// `None` if the site has no storage for them.
    pub place: Option<AssetPlace>,
    pub limits: AssetLimits,
}

/// # Errors
/// If a setting is invalid, or a required one is missing.
pub fn assets(settings: &Settings<'_>, store: &StoreSetting) -> Result<AssetSettings, ConfigError> {
    let place = match (settings.parse::<PlaceText>(&own::STORE)?, store) {
        (Some(text), _) => Some(place(settings, text, &own::STORE)?),
        (None, StoreSetting::File(folder)) => Some(AssetPlace::Folder(folder.join("assets"))),
        (None, StoreSetting::Azure(_)) => None,
    };
    let limits = AssetLimits {
        file_bytes: settings.number(&own::FILE_BYTES)?,
        image_bytes: settings.number(&own::IMAGE_BYTES)?,
        file_time: settings.seconds(&own::FILE_SECONDS)?,
        file_types: match settings.is_set(&own::FILE_TYPES) {
            true => Some(settings.list(&own::FILE_TYPES)?.into()),
            false => None,
        },
    };
    Ok(AssetSettings { place, limits })
}

/// Parses the storage of other files. `of`: the setting that an error names.
///
/// # Errors
/// If the text is invalid, or a required setting is missing.
pub(super) fn place_of(settings: &Settings<'_>, text: &str, of: &'static Setting) -> Result<AssetPlace, ConfigError> {
    place(settings, text.parse().map_err(|why: String| settings.error_of(of, why))?, of)
}

fn place(settings: &Settings<'_>, text: PlaceText, of: &'static Setting) -> Result<AssetPlace, ConfigError> {
    match text {
        PlaceText::Folder(folder) => Ok(AssetPlace::Folder(folder)),
        PlaceText::Azure { name, prefix } => {
            Ok(AssetPlace::Azure(AzureContainer { connection: connection(settings, of)?, name, prefix }))
        }
        PlaceText::S3 { name, prefix } => {
            let secret = settings.secret(&own::S3_SECRET_ACCESS_KEY, &own::S3_SECRET_ACCESS_KEY_FILE)?;
            let (Some(access_key_id), Some(secret_access_key)) = (settings.text(&own::S3_ACCESS_KEY_ID), secret) else {
                let why = "s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the access key of the bucket; or these as \
                           s3.access_key_id and s3.secret_access_key or s3.secret_access_key_file in the configuration file";
                return Err(settings.error_of(of, why));
            };
            let region = settings.need(&own::S3_REGION)?;
            let endpoint = settings.parse::<Endpoint>(&own::S3_ENDPOINT)?.map(|endpoint| endpoint.0);
            Ok(AssetPlace::S3(S3Bucket { name, prefix, region, endpoint, access_key_id, secret_access_key }))
        }
    }
}

/// The storage account of the pictures: their own, or that of the tables.
fn connection(settings: &Settings<'_>, of: &'static Setting) -> Result<Connection, ConfigError> {
    let of_pictures = settings.secret(&own::CONNECTION_STRING, &own::CONNECTION_STRING_FILE)?;
    let text = match of_pictures {
        Some(text) => Some(text),
        None => settings.secret(&table::AZURE_CONNECTION_STRING, &table::AZURE_CONNECTION_STRING_FILE)?,
    };
    super::store::connection(settings, text, &own::AZURE_BLOB_ENDPOINT)
        .map_err(|needed| settings.error_of(of, format!("az:// {needed}")))
}

/// The text form of a storage.
#[derive(Debug, PartialEq, Eq)]
enum PlaceText {
    Folder(PathBuf),
    Azure { name: String, prefix: String },
    S3 { name: String, prefix: String },
}

impl FromStr for PlaceText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((scheme, rest)) = text.split_once("://") else { return Ok(Self::Folder(text.into())) };
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        // The text may contain a secret, so the error does not repeat it.
        let refused = |why: &str| Err(format!("{why}; write a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER"));
        if !matches!(scheme, "az" | "s3") {
            return refused("this is no place for files");
        }
        if !is_name(name) {
            return refused("a container or bucket has 3 to 63 lower-case letters, digits, hyphens and, in S3, dots");
        }
        if !prefix.is_empty() && !prefix.split('/').all(is_segment) {
            return refused("a folder in it has letters, digits, - and _, and / between them");
        }
        let (name, prefix) = (name.to_owned(), prefix.to_owned());
        Ok(if scheme == "az" { Self::Azure { name, prefix } } else { Self::S3 { name, prefix } })
    }
}

/// Sources: "Naming and Referencing Containers, Blobs, and Metadata" of Azure, "General purpose bucket naming rules" of S3.
fn is_name(name: &str) -> bool {
    (3..=63).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.'))
}

/// Characters that need no encoding in an address. Without the dot, a segment is never `.` or `..`.
fn is_segment(segment: &str) -> bool {
    !segment.is_empty() && segment.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

struct Endpoint(String);

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        match Url::parse(text).is_ok_and(|url| is_plain(&url)) {
            true => Ok(Self(text.to_owned())),
            false => Err("this is not a URL such as https://s3.example or http://127.0.0.1:9000".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    fn found(typed: &[(&'static Setting, &str)]) -> Result<AssetSettings, ConfigError> {
        let sources = Sources::default();
        let typed = typed.iter().map(|(setting, text)| (*setting, vec![(*text).to_owned()])).collect();
        assets(&sources.with(typed), &StoreSetting::File("data".into()))
    }

    fn shown(typed: &[(&'static Setting, &str)]) -> String {
        found(typed).expect("settings").place.expect("a place").to_string()
    }

    fn error(typed: &[(&'static Setting, &str)]) -> String {
        found(typed).expect_err("settings that are not complete").to_string()
    }

    #[test]
    fn a_place_is_a_folder_a_container_or_a_bucket() {
        assert_eq!(shown(&[]), "data/assets");
        assert_eq!(shown(&[(&own::STORE, "pictures")]), "pictures");
        let account = (&table::AZURE_ACCOUNT, "mine");
        assert_eq!(shown(&[(&own::STORE, "az://pictures"), account]), "az://pictures");
        assert_eq!(shown(&[(&own::STORE, "az://pictures/blog/2/"), account]), "az://pictures/blog/2");
        let key = [(&own::S3_ACCESS_KEY_ID, "AKID"), (&own::S3_SECRET_ACCESS_KEY, "c2VjcmV0")];
        let shown = shown(&[(&own::STORE, "s3://my.pictures/blog"), key[0], key[1]]);
        assert_eq!(shown, "s3://my.pictures/blog");
    }

    #[test]
    fn what_a_place_needs_is_named() {
        assert!(error(&[(&own::STORE, "az://pictures")]).contains("AZURE_STORAGE_CONNECTION_STRING"));
        assert!(error(&[(&own::STORE, "s3://pictures")]).contains("AWS_SECRET_ACCESS_KEY"));
        let half = error(&[(&own::STORE, "s3://pictures"), (&own::S3_SECRET_ACCESS_KEY, "c2VjcmV0")]);
        assert!(half.contains("AWS_ACCESS_KEY_ID") && !half.contains("c2VjcmV0"), "{half}");
    }

    #[test]
    fn another_text_is_refused_and_not_repeated() {
        for text in
            ["http://host/pictures", "az://Pictures", "az://p", "s3://pictures/../x", "s3://pictures/a b", "gs://x"]
        {
            let error = error(&[(&own::STORE, text)]);
            assert!(error.contains("az://CONTAINER/FOLDER"), "{error}");
        }
        let error = error(&[(&own::STORE, "az://user:c2VjcmV0@pictures")]);
        assert!(!error.contains("c2VjcmV0"), "{error}");
    }

    #[test]
    fn the_pictures_have_an_account_of_their_own_if_one_is_set() {
        let typed = [
            (&own::STORE, "az://pictures"),
            (&table::AZURE_CONNECTION_STRING, "AccountName=tables;AccountKey=c2VjcmV0"),
            (&own::CONNECTION_STRING, "AccountName=pictures;AccountKey=c2VjcmV0"),
        ];
        let of = |typed: &[(&'static Setting, &str)]| match found(typed).expect("settings").place {
            Some(AssetPlace::Azure(container)) => container.connection.blobs().expect("an account").account,
            other => panic!("{other:?}"),
        };
        assert_eq!((of(&typed).as_str(), of(&typed[..2]).as_str()), ("pictures", "tables"));
    }

    #[test]
    fn an_endpoint_is_a_url_without_a_secret() {
        let with = |endpoint: &str| {
            found(&[
                (&own::STORE, "s3://pictures"),
                (&own::S3_ACCESS_KEY_ID, "AKID"),
                (&own::S3_SECRET_ACCESS_KEY, "c2VjcmV0"),
                (&own::S3_ENDPOINT, endpoint),
            ])
        };
        assert!(with("http://127.0.0.1:9000").is_ok() && with("https://x.r2.cloudflarestorage.com/").is_ok());
        for wrong in ["127.0.0.1:9000", "ftp://host", "https://user:c2VjcmV0@host", "https://host/?key=c2VjcmV0"] {
            let error = with(wrong).expect_err("no endpoint").to_string();
            assert!(error.contains("is not a URL") && !error.contains("c2VjcmV0"), "{error}");
        }
    }
}
