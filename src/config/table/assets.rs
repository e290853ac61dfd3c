//! The settings of pictures and files. The rule: the default is a constant of the module that enforces the limit, and its reason is documented there.

use super::{list, number, secret, text};
use crate::assets::AssetLimits;

settings! {
    /// The storage of the pictures and files, for the commands that read or add some.
    PLACE:
    STORE = text("assets.store", "PLACE").flag("assets"),
        "Where the pictures and files are: a folder, az://CONTAINER or az://CONTAINER/FOLDER in Azure Blob Storage, or s3://BUCKET or s3://BUCKET/FOLDER in S3. Not set: the \
         folder `assets` beside the store file; with the store azure, there are none.";
    CONNECTION_STRING = secret("assets.connection_string", "STRING"),
        "For az://: the connection string of another account than that of the tables.";
    CONNECTION_STRING_FILE = text("assets.connection_string_file", "FILE"),
        "A file that contains only that connection string.";
    AZURE_BLOB_ENDPOINT = text("azure.blob_endpoint", "URL").env("AZURE_STORAGE_BLOB_ENDPOINT"),
        "With the account: its blob endpoint, for pictures, if it is in another cloud.";
    S3_ACCESS_KEY_ID = text("s3.access_key_id", "ID").env("AWS_ACCESS_KEY_ID"),
        "For s3://: the id of the access key.";
    S3_SECRET_ACCESS_KEY = secret("s3.secret_access_key", "KEY").env("AWS_SECRET_ACCESS_KEY"),
        "For s3://: the secret of the access key.";
    S3_SECRET_ACCESS_KEY_FILE = text("s3.secret_access_key_file", "FILE"),
        "A file that contains only the secret of the access key.";
    S3_REGION = text("s3.region", "REGION").default("us-east-1").env("AWS_REGION"),
        "For s3://: the region of the bucket; `auto` for Cloudflare R2, and any for a service without regions.";
    S3_ENDPOINT = text("s3.endpoint", "URL").env("AWS_ENDPOINT_URL_S3"),
        "For s3://: the URL of a service other than Amazon's, such as http://127.0.0.1:9000. Not set: Amazon S3 in the region.";
}

settings! {
    /// The limits of uploads.
    LIMITS:
    FILE_BYTES = number("assets.file_bytes", (1 << 10, (1 << 31) - 1), || AssetLimits::default().file_bytes),
        "Bytes of a file that a client sends.";
    IMAGE_BYTES = number("assets.image_bytes", (1 << 10, 1 << 26), || AssetLimits::default().image_bytes),
        "Bytes of a file that is a picture; a picture is in memory while it is decoded.";
    FILE_SECONDS = number("assets.file_seconds", (1, 3_600), || AssetLimits::default().file_time.as_secs()),
        "Seconds that a file may take to arrive.";
    FILE_TYPES = list("assets.file_types", "EXTENSION"),
        "The extensions of files other than pictures that are accepted, such as pdf and mp3; an empty list accepts none. Not set: all that docs/assets.md lists.";
}
