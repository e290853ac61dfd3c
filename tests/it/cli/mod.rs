//! The `tidings` binary as its users meet it: what it prints, how it ends, and what it leaves in the store.

mod azure;
mod broken;
mod changes;
mod check;
mod damaged;
mod export;
mod full;
mod import;
mod kept;
mod refusals;
mod serve;
mod token;
