//! Where the bytes of pictures and files are stored. The rule: a place has everything that is needed to reach it, and prints no secret.

use std::fmt;
use std::path::PathBuf;

use crate::store::azure::Connection;

#[derive(Debug, Clone)]
pub enum AssetPlace {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A container of an Azure storage account, or of Azurite.
    Azure(AzureContainer),
    /// A bucket of Amazon S3, or of a service with the same protocol.
    S3(S3Bucket),
}

#[derive(Debug, Clone)]
pub struct AzureContainer {
    /// The account and the credentials for it.
    pub connection: Connection,
    pub name: String,
    /// The folder in the container, so that several sites can share it; may be empty.
    pub prefix: String,
}

#[derive(Clone)]
pub struct S3Bucket {
    pub name: String,
    /// The folder in the bucket; may be empty.
    pub prefix: String,
    pub region: String,
    /// The URL of the service; if `None`, Amazon's in the region.
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
}

/// Omits the secret key.
impl fmt::Debug for S3Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, prefix, region, endpoint, access_key_id, secret_access_key: _ } = self;
        f.debug_struct("S3Bucket")
            .field("name", name)
            .field("prefix", prefix)
            .field("region", region)
            .field("endpoint", endpoint)
            .field("access_key_id", access_key_id)
            .finish_non_exhaustive()
    }
}

/// The form of the setting `assets.store`.
impl fmt::Display for AssetPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, name, prefix) = match self {
            Self::Folder(folder) => return write!(f, "{}", folder.display()),
            Self::Azure(AzureContainer { name, prefix, .. }) => ("az", name, prefix),
            Self::S3(S3Bucket { name, prefix, .. }) => ("s3", name, prefix),
        };
        let slash = if prefix.is_empty() { "" } else { "/" };
        write!(f, "{scheme}://{name}{slash}{prefix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_as_it_was_set_and_without_its_secret() {
        let bucket = S3Bucket {
            name: "pictures".to_owned(),
            prefix: "blog".to_owned(),
            region: "auto".to_owned(),
            endpoint: None,
            access_key_id: "AKID".to_owned(),
            secret_access_key: "a secret key".to_owned(),
        };
        let place = AssetPlace::S3(bucket);
        assert_eq!(place.to_string(), "s3://pictures/blog");
        assert!(!format!("{place:?}").contains("a secret key"));
    }
}
