//! Sends purges to the CDN. The rule: everything is purged first, because it is not known what was written and not purged before this process began.

use crate::purge::Purges;

pub(super) async fn for_ever(purges: Purges) {
    purges.purge_everything();
    purges.send_for_ever().await;
}
