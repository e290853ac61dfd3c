//! `check --repair`. The rule: whatever rows are damaged, except for whole posts and terms, the tables come back as they were.

mod beside;
mod by_hand;
mod damage;
mod persons;
mod random;
mod readers;
mod stopped;
mod table;
