//! Pages against a model: what `read_page` answers is what Relay's algorithm answers on a plain list.

mod against_model;
