//! Imports of real blogs and of hand-made files, through the importer and into a store.

mod bodies;
mod contentful;
mod corpora;
mod excerpts;
mod exported;
mod exported_markdown;
mod front_matter;
mod ghost;
mod hostile;
mod lengths;
mod links;
mod media;
mod medium;
mod metadata;
mod not_public;
mod notion;
mod parse;
mod pictures;
mod read_folder;
mod readers;
mod reading;
mod site_fields;
mod site_pages;
mod starters;
mod stopped;
mod substack;
