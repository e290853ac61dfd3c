//! What the tests share. The rule: what a test starts ends with it, and nothing listens on a port that was chosen beforehand.

pub mod azurite;
pub mod proxy;
pub mod rows;
pub mod stores;
