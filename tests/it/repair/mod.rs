//! `check --repair`: whatever is damaged beside the whole posts and the terms, the tables come back as they were.

mod beside;
mod by_hand;
mod damage;
mod migrated;
mod persons;
mod random;
mod readers;
mod stopped;
mod table;
