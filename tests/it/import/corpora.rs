//! The corpora. (sketch)
use std::path::PathBuf;
use std::sync::Arc;

use tidings::import::{open, run};

use crate::support::site::Site;

fn corpora() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora")
}

#[tokio::test]
async fn smoke() {
    for (name, sub) in [
        ("go", "go-blog"),
        ("rust", "rust-blog"),
        ("jekyll", "jekyll-blog"),
        ("wp", "wordpress/themeunittestdata.wordpress.xml"),
        ("ex", "../../main/examples/blog"),
    ] {
        let site = Site::in_memory().await;
        let source = Arc::new(open(&corpora().join(sub), None).expect("a source"));
        let t = std::time::Instant::now();
        let report = run::import(&site.content, Arc::clone(&source), false, |_, _| {}).await.expect("import");
        println!(
            "{name} {:?} made {} changed {} unchanged {} skipped {} failed {:?} notes {}",
            t.elapsed(),
            report.made,
            report.changed,
            report.unchanged,
            report.skipped.len(),
            report.failed,
            report.notes.len()
        );
        for n in &report.notes {
            println!("  {} {}", n.origin, n.text);
        }
        for n in &report.skipped {
            println!("  skip {} {}", n.origin, n.reason);
        }
        let checked = site.content.check().await.expect("check");
        for d in checked.differences.iter().take(10) {
            println!("  DIFF {d}");
        }
        println!(
            "  {} posts {} drafts {} terms {} rows, {} diffs",
            checked.posts,
            checked.drafts,
            checked.terms,
            checked.rows,
            checked.differences.len()
        );
        let again = run::import(&site.content, source, false, |_, _| {}).await.expect("import");
        println!("again: made {} changed {} unchanged {}", again.made, again.changed, again.unchanged);
    }
}
