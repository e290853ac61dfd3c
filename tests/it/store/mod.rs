//! The contract of the stores, tested on every store; then what only one of them has.

mod azure;
mod batch;
mod bulk;
mod clock;
mod counting;
mod embedded;
mod faults;
mod followed;
mod full;
mod groups;
mod limits;
mod log;
mod near;
mod one_log;
mod point;
mod races;
mod range;
mod snapshot;
mod transact;
mod values;
