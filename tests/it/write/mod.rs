//! The write protocol: changes that are stopped anywhere.

mod stopped;
