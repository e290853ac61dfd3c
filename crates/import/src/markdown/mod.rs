//! Folders of Markdown files with front matter in YAML, TOML, JSON or JavaScript. The rule: a folder of any supported site generator is read without
//! a setting; a file is read by its text, its path and the generator's files.

mod addresses;
mod admonitions;
mod asset_addresses;
mod body;
mod components;
mod configs;
mod described;
mod docusaurus;
mod enclosure;
mod exported;
mod fields;
mod file;
mod file_links;
mod folder;
mod folder_data;
mod front_matter;
mod generator_files;
mod languages;
mod marks;
mod mdx;
mod name;
mod outcome;
mod page;
mod pictures;
mod post;
mod publication;
#[cfg(test)]
mod random_texts;
mod rest;
mod script;
mod sections;
mod shortcodes;
mod site_files;
mod templates;
mod value;
mod walk;
mod yaml;

pub(super) use addresses::{
    all as picture_addresses, found as addresses_in, has_ending as is_picture_name, path_of as path_of_address,
    replaced as with_picture_addresses, with_addresses, with_links_replaced as with_destinations,
};
pub use asset_addresses::of_relative_address;
pub use asset_addresses::{
    asset_names, assets_of_pictures, relative_address, with_relative_addresses, with_server_addresses,
};
pub use exported::{AVATAR, JOB_TITLE, LINKS, PARENT, TRANSLATIONS, UNPUBLISH_AT};
pub use fields::SERIES_ORDER;
pub use file::read as read_file;
pub use file_links::ENDINGS;
pub(super) use file_links::{
    is_ambiguous_if_repeated, names_of as names_of_file, with_addresses as with_file_addresses,
};
pub use folder::is_hidden;
pub(super) use folder::{read, scan};
pub use outcome::ReadOutcome;
pub(super) use pictures::below as file_below;
pub use pictures::{resolve as resolve_picture, with_assets};
pub(super) use site_files::SiteFiles;
