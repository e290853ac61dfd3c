//! The limits of what a client may cost, for each operation and each second. The rule: they are off by default.

use super::number;
use crate::config::setting::Setting;
use crate::graphql::fair_use::RATE_MAX;

/// A setting whose default, 0, means the limit of all clients, no limit, or the default burst.
const fn optional(key: &'static str) -> Setting {
    number(key, (0, RATE_MAX), || 0)
}

settings! {
    ALL:
    ANONYMOUS_STORAGE_REQUESTS = optional("limits.anonymous_storage_requests"),
        "Storage requests that an operation without a token may need at most; 0: as many as storage_requests.";
    TOKEN_RATE = optional("limits.token_rate"), "Storage requests a second that each token may cause; 0: no limit.";
    TOKEN_BURST = optional("limits.token_burst"),
        "Storage requests that each token may cause at once, after a time with fewer; 0: ten times token_rate.";
    ADDRESS_RATE = optional("limits.address_rate"),
        "Storage requests a second that each client address may cause without a token; 0: no limit. Behind a proxy, set client_address_header.";
    ADDRESS_BURST = optional("limits.address_burst"),
        "Storage requests that each client address may cause at once, after a time with fewer; 0: ten times address_rate.";
    ANONYMOUS_RATE = optional("limits.anonymous_rate"),
        "Storage requests a second that all requests without a token together may cause; 0: no limit.";
    ANONYMOUS_BURST = optional("limits.anonymous_burst"),
        "Storage requests that all requests without a token together may cause at once, after a time with fewer; 0: ten times anonymous_rate.";
}
