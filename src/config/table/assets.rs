//! The settings of pictures and files. The rule: the default is a constant of the module that enforces the limit, and its reason is documented there.

use super::{list, number, secret, text};
use crate::assets::AssetLimits;
use crate::config::Setting;

settings! {
    /// The place of the pictures and files, for the commands that read or add some.
    pub static PLACE;
    pub static STORE: Setting = text(
        "assets.store",
        "PLACE",
        "Where the pictures and files are: a folder, az://CONTAINER or az://CONTAINER/FOLDER in Azure Blob Storage, or s3://BUCKET or s3://BUCKET/FOLDER in S3. Not set: the \
         folder `assets` beside the store file; with the store azure, there are none.",
    )
    .flag("assets");
    pub static CONNECTION_STRING: Setting = secret(
        "assets.connection_string",
        "STRING",
        "For az://: the connection string of another account than that of the tables.",
    );
    pub static CONNECTION_STRING_FILE: Setting =
        text("assets.connection_string_file", "FILE", "A file that contains only that connection string.");
    pub static AZURE_BLOB_ENDPOINT: Setting = text(
        "azure.blob_endpoint",
        "URL",
        "With the account: its blob endpoint, for pictures, if it is in another cloud.",
    )
    .env("AZURE_STORAGE_BLOB_ENDPOINT");
    pub static S3_ACCESS_KEY_ID: Setting =
        text("s3.access_key_id", "ID", "For s3://: the id of the access key.").env("AWS_ACCESS_KEY_ID");
    pub static S3_SECRET_ACCESS_KEY: Setting =
        secret("s3.secret_access_key", "KEY", "For s3://: the secret of the access key.")
            .env("AWS_SECRET_ACCESS_KEY");
    pub static S3_SECRET_ACCESS_KEY_FILE: Setting =
        text("s3.secret_access_key_file", "FILE", "A file that contains only the secret of the access key.");
    pub static S3_REGION: Setting = text(
        "s3.region",
        "REGION",
        "For s3://: the region of the bucket; `auto` for Cloudflare R2, and any for a service without regions.",
    )
    .default("us-east-1")
    .env("AWS_REGION");
    pub static S3_ENDPOINT: Setting = text(
        "s3.endpoint",
        "URL",
        "For s3://: the URL of a service other than Amazon's, such as http://127.0.0.1:9000. Not set: Amazon S3 in the region.",
    )
    .env("AWS_ENDPOINT_URL_S3");
}

settings! {
    /// What the server accepts.
    pub static LIMITS;
    pub static FILE_BYTES: Setting = number(
        "assets.file_bytes",
        (1 << 10, (1 << 31) - 1),
        || AssetLimits::default().file_bytes,
        "Bytes of a file that a client sends.",
    );
    pub static IMAGE_BYTES: Setting = number(
        "assets.image_bytes",
        (1 << 10, 1 << 26),
        || AssetLimits::default().image_bytes,
        "Bytes of a file that is a picture; a picture is in memory while it is decoded.",
    );
    pub static FILE_SECONDS: Setting = number(
        "assets.file_seconds",
        (1, 3_600),
        || AssetLimits::default().file_time.as_secs(),
        "Seconds that a file may take to arrive.",
    );
    pub static FILE_TYPES: Setting = list(
        "assets.file_types",
        "EXTENSION",
        "The extensions of files other than pictures that are accepted, such as pdf and mp3; an empty list accepts none. Not set: all that docs/assets.md lists.",
    );
}
