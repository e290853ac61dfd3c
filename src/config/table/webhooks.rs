//! The settings of webhooks. The rule: without any, they reach the public Internet and nothing else.

use super::list;

settings! {
    ALL:
    ALLOW = list("webhooks.allow", "HOST"),
        "Hosts, addresses and networks that webhooks may reach beyond the public Internet, also by plain http, such as receiver.internal, 127.0.0.1 or 10.0.0.0/8. Not set: none.";
}
