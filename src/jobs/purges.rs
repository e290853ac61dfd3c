//! Sends purges to the CDN. The rule: everything is purged first, because earlier writes may not have been purged before the previous process ended.

use crate::purge::Purges;

pub(super) async fn for_ever(purges: Purges) {
    purges.purge_everything();
    purges.send_for_ever().await;
}
