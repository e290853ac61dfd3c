//! The places of pictures that the tests of pictures run on. Each comes with the folder or the server that must live as long as its pictures.

use std::sync::atomic::{AtomicU32, Ordering};

use tidings::assets::{AssetLibrary, AssetLimits, AssetPlace, AzureContainer, S3Bucket};
use tidings::store::azure::Connection;

use super::azurite::{AzuriteBlobs, blob_connection_string, emulator_key};
use super::s3::S3;

/// The container or bucket of the tests.
pub const PICTURES: &str = "pictures";

/// A place for many libraries, each with pictures of its own.
pub struct Place {
    kind: Kind,
    libraries: AtomicU32,
}

enum Kind {
    Memory,
    Folder(tempfile::TempDir),
    Azurite(AzuriteBlobs),
    S3(S3),
}

impl Place {
    fn of(kind: Kind) -> Self {
        Self { kind, libraries: AtomicU32::new(0) }
    }

    pub fn memory() -> Self {
        Self::of(Kind::Memory)
    }

    pub fn folder() -> Self {
        Self::of(Kind::Folder(tempfile::tempdir().expect("a folder")))
    }

    pub fn azurite() -> Self {
        Self::of(Kind::Azurite(AzuriteBlobs::start()))
    }

    pub fn s3() -> Self {
        Self::of(Kind::S3(S3::start()))
    }

    /// An empty library.
    pub async fn library(&self) -> AssetLibrary {
        self.libraries.fetch_add(1, Ordering::Relaxed);
        self.same_library().await
    }

    /// The last library, as another server opens it; in memory, an empty one.
    pub async fn same_library(&self) -> AssetLibrary {
        let limits = AssetLimits { file_bytes: 16 << 20, image_bytes: 1 << 20, ..AssetLimits::default() };
        let prefix = format!("site-{}", self.libraries.load(Ordering::Relaxed));
        let place = match &self.kind {
            Kind::Memory => return AssetLibrary::in_memory(limits),
            Kind::Folder(folder) => AssetPlace::Folder(folder.path().join(prefix)),
            Kind::Azurite(azurite) => {
                let text = blob_connection_string(&azurite.endpoint, emulator_key());
                azure(text, &prefix)
            }
            Kind::S3(s3) => bucket(s3, PICTURES, &prefix),
        };
        AssetLibrary::open(&place, true, limits).await.expect("a library")
    }

    /// The method and path of each request to the server of the place.
    pub fn requests(&self) -> Vec<String> {
        match &self.kind {
            Kind::Memory | Kind::Folder(_) => Vec::new(),
            Kind::Azurite(azurite) => azurite.requests(),
            Kind::S3(s3) => s3.requests(),
        }
    }
}

/// A container in the account of a connection string.
pub fn azure(connection_string: String, prefix: &str) -> AssetPlace {
    let connection = Connection::String(connection_string);
    AssetPlace::Azure(AzureContainer { connection, name: PICTURES.to_owned(), prefix: prefix.to_owned() })
}

pub fn bucket(s3: &S3, name: &str, prefix: &str) -> AssetPlace {
    AssetPlace::S3(S3Bucket {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        region: "us-east-1".to_owned(),
        endpoint: Some(s3.endpoint.clone()),
        access_key_id: s3.access_key_id.clone(),
        secret_access_key: s3.secret_access_key.clone(),
    })
}

/// Runs each test in each place, under a name that contains the place's: `assets::places::azurite::…`.
macro_rules! in_every_place {
    ($($test:ident),+ $(,)?) => {
        crate::support::places::in_place!(memory: $($test),+);
        crate::support::places::in_place!(folder: $($test),+);
        crate::support::places::in_place!(azurite: $($test),+);
        crate::support::places::in_place!(s3: $($test),+);
    };
}
pub(crate) use in_every_place;

macro_rules! in_place {
    ($place:ident: $($test:ident),+) => {
        mod $place {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(&crate::support::places::Place::$place()).await;
            })+
        }
    };
}
pub(crate) use in_place;
