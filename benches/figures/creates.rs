//! How many posts per second are created and published durably, and how many are changed, by one caller and by many at once. The rule: each change
//! takes the whole path of a mutation, and is on the disk before its caller makes the next one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant as Moment};

use tidings::content::Content;
use tidings::model::{Actor, ActorKind, NodeId, Role, WholePost};
use tidings::testing::{Edited, Editor, NamedTerms, Patch, PostChanges};

use crate::Result;
use crate::posts::Generated;
use crate::site;
use crate::table::{Figure, with_commas};

const CALLERS: [u64; 2] = [1, 32];

/// What each caller does repeatedly.
#[derive(Debug, Clone, Copy)]
enum Work {
    Create,
    /// Changes the title of a post of its own.
    Update,
}

pub fn figures(store: &Path, posts: u64, seconds: f64) -> Result<Vec<Figure>> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let content = site::open(store).await?;
        let next = Arc::new(AtomicU64::new(posts));
        let mut figures = Vec::new();
        for (work, name) in [(Work::Create, "create"), (Work::Update, "update")] {
            for callers in CALLERS {
                let (made, took) = run(&content, &next, (work, callers), seconds).await?;
                let rate = made as f64 / took.as_secs_f64();
                let mean_ms = took.as_secs_f64() * 1_000.0 * callers as f64 / made as f64;
                let measured = format!("{}/s, {mean_ms:.1} ms each", with_commas(rate));
                figures.push(Figure::new(format!("{name}-{callers}: {callers} callers"), measured));
            }
        }
        Ok(figures)
    })
}

/// How many changes were made, in how much time.
async fn run(
    content: &Content,
    next: &Arc<AtomicU64>,
    (work, callers): (Work, u64),
    seconds: f64,
) -> Result<(u64, Duration)> {
    let mut own = Vec::new();
    for _ in 0..callers {
        own.push(create(content, next.fetch_add(1, Ordering::Relaxed)).await?);
    }
    let began = Moment::now();
    let end = began + Duration::from_secs_f64(seconds);
    let made = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for mut own in own {
        let (content, next, made) = (content.clone(), Arc::clone(next), Arc::clone(&made));
        tasks.push(tokio::spawn(async move {
            while Moment::now() < end {
                own = match work {
                    Work::Create => create(&content, next.fetch_add(1, Ordering::Relaxed)).await?,
                    Work::Update => update(&content, &own).await?,
                };
                made.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok((made.load(Ordering::Relaxed), began.elapsed()))
}

async fn create(content: &Content, number: u64) -> Result<WholePost> {
    let post = Generated::new(number);
    let reader = content.reader();
    let actor = Actor::new(ActorKind::Token, "the benchmark", Role::Admin);
    let editor = Editor::new(content, &reader, &actor)?;
    let texts = |slugs: &[tidings::model::Slug]| Some(slugs.iter().map(ToString::to_string).collect());
    let terms = NamedTerms {
        authors: texts(&post.authors),
        categories: texts(&post.categories),
        tags: texts(&post.tags),
        series: None,
        create_missing_tags: true,
    };
    let (title, markdown) = (Patch::Set(post.title), Patch::Set(post.markdown));
    let new = PostChanges { title, markdown, publish_at: Patch::Set(content.clock().now()), ..PostChanges::default() };
    answered(editor.create_post(None, Some(post.slug.to_string()), new, terms).await?)
}

async fn update(content: &Content, before: &WholePost) -> Result<WholePost> {
    let reader = content.reader();
    let actor = Actor::new(ActorKind::Token, "the benchmark", Role::Admin);
    let editor = Editor::new(content, &reader, &actor)?;
    let id = NodeId::Post(before.post.id.clone()).to_string();
    let changes = PostChanges { title: Patch::Set(format!("Title {}", before.post.version)), ..PostChanges::default() };
    answered(editor.update_post(&id, before.post.version, Patch::Keep, changes, NamedTerms::default()).await?)
}

fn answered(edited: Edited<WholePost>) -> Result<WholePost> {
    edited.map_err(|errors| format!("{errors:?}").into())
}
