//! The settings of webhooks. The rule: by default, webhooks reach only the public Internet.

use super::list;

settings! {
    ALL:
    ALLOW = list("webhooks.allow", "HOST"),
        "Hosts, addresses and networks that webhooks may reach beyond the public Internet, also by plain http, such as receiver.internal, 127.0.0.1 or 10.0.0.0/8. Not set: none.";
}
