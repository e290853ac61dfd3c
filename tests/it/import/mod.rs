//! Imports of real blogs and of hand-made files, through the importer and into a store.

mod contentful;
mod contentful_hidden;
mod corpora;
mod excerpts;
mod exported;
mod exported_markdown;
mod ghost;
mod hostile;
mod links;
mod media;
mod medium;
mod metadata;
mod notion;
mod parse;
mod pictures;
mod readers;
mod reading;
mod site_fields;
mod site_pages;
mod starters;
mod stopped;
mod substack;
mod wordpress;
