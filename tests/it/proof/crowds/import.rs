//! A folder that is imported again and again while the servers run, each time with other dates and terms. The rule: no editor changes imported posts.

use std::sync::Arc;
use std::time::Duration;

use tidings::model::TermKind;

use crate::support::folder::write;
use crate::support::random::Random;

use super::fleet::Fleet;
use super::scene::Scene;
use super::workload::{INSTANTS, Workload};

const FILES: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// How the title of each imported post begins.
pub(super) const TITLE: &str = "Imported";

pub(super) async fn import_on(fleet: Arc<Fleet>, scene: Arc<Scene>, workload: Workload, mut random: Random) {
    let folder = tempfile::tempdir().expect("a folder");
    while !scene.is_over() {
        for file in 0..FILES {
            let tags = workload.any_terms(&mut random, TermKind::Tag, scene.sent());
            let at = random.pick(&INSTANTS);
            let text = format!(
                "---\ntitle: {TITLE} {file}\ndate: {at}\ntags: [{}]\n---\nText {}.\n",
                tags.join(", "),
                random.below(9)
            );
            write(folder.path(), &format!("imported-{file}.md"), &text);
        }
        let path = folder.path().display().to_string();
        let ran = fleet.storage.run(&["import", &path]).await;
        // A post that meets another change of the same tag is reported as one to import again, and the next iteration does so.
        if !matches!(ran.code, Some(0 | 2)) {
            scene.reads.count_failed(&format!("import: {}", ran.err.trim()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}
