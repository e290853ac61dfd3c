//! Subscriptions over HTTP, on real sockets. The rule: a test waits for events, never for a time; what must not come is known to be left out by the event that comes
//! after it.

mod client;
mod content;
mod editing;
mod live;
mod live_histories;
mod patches;
mod protocol;
mod resumed;
mod server;
mod slow;
