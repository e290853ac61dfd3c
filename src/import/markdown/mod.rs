//! Folders of Markdown files with front matter in YAML, TOML, JSON or JavaScript. The rule: a folder of any of the supported site generators is read without a
//! setting, and a file is read by its text and its path alone.

mod addresses;
mod asset_addresses;
mod destinations;
mod exported;
mod fields;
mod file;
mod folder;
mod front_matter;
mod mdx;
mod page;
mod pictures;
mod position;
mod rest;
mod script;
mod toml_value;
mod value;
mod yaml;
mod yaml_error;
mod yaml_events;

pub(super) use addresses::{
    all as picture_addresses, has_ending as is_picture_name, path_of as path_of_address,
    replaced as with_picture_addresses,
};
pub(super) use asset_addresses::of_relative_address;
pub use asset_addresses::{
    asset_names, assets_of_pictures, relative_address, with_relative_addresses, with_server_addresses,
};
pub(super) use destinations::replaced as with_destinations;
pub use exported::{AVATAR, JOB_TITLE, LINKS};
pub use file::{ReadOutcome, read as read_file};
pub(super) use folder::{read, scan};
pub(super) use pictures::{below as file_below, resolve as resolve_picture, with_assets};
