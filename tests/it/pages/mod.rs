//! Compares the pages of `read_page` with a model: Relay's pagination algorithm on a plain list.

mod against_model;
mod first_keys;
