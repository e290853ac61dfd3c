//! The settings of pictures. The rule: the default is a constant of the module that enforces the limit, and its reason is documented there.

use super::{number, text};
use crate::assets::AssetLimits;
use crate::config::Setting;

pub static PATH: Setting = text(
    "assets.path",
    "TIDINGS_ASSETS_PATH",
    "PATH",
    "The folder of the pictures. Not set: the folder `assets` beside the store file; with the store azure, there are no pictures.",
)
.flag("assets");
pub static FILE_BYTES: Setting = number(
    "assets.file_bytes",
    "TIDINGS_ASSETS_FILE_BYTES",
    (1 << 10, 1 << 26),
    || AssetLimits::default().file_bytes,
    "Bytes of the file of a picture that a client sends.",
);
pub static FILE_SECONDS: Setting = number(
    "assets.file_seconds",
    "TIDINGS_ASSETS_FILE_SECONDS",
    (1, 3_600),
    || AssetLimits::default().file_time.as_secs(),
    "Seconds that the file of a picture may take to arrive.",
);
