//! The proof of the write protocol. The rule: whatever the storage, the servers and the power do, readers see the result of some order of whole
//! changes, each made or not as the reply says (I1, I5 to I7), and `check` finds nothing.

mod category_tree;
mod chains;
mod crowds;
mod histories;
mod holes;
mod interleaved;
mod killed;
mod listeners;
mod one_moment;
mod paused;
mod pictures;
mod power;
mod proxied;
mod races;
mod reached;
mod readers;
mod restored;
pub mod scene;
mod stage;
mod three;
mod torn;
