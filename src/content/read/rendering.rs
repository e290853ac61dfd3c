//! Rendering of bodies. The rule: rendering does not block threads that serve requests, short bodies do not wait for long ones, and memory is bounded: a fixed
//! number of bodies is rendered at once, and the cache of rendered forms has a limit in bytes.
//!
//! The key of a rendered form is the Markdown itself, not the post's id and version, because a post that is deleted and imported again with the same id has
//! version 1 again, and posts with the same text share one form. A form depends only on the Markdown and the server's own address, so it never becomes
//! outdated.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, mpsc};

use foldhash::quality::RandomState;
use quick_cache::Weighter;
use quick_cache::unsync::{Cache, DefaultLifecycle};
use tokio::sync::{Semaphore, oneshot};

use crate::content::commands::PostChanges;
use crate::model::asset::{WIDTHS, srcset};
use crate::model::excerpt::excerpt_of;
use crate::model::site::SiteUrl;
use crate::model::{AssetName, Rendered, html_links, render};

/// The default limit of the cache in bytes.
pub const KEPT_BYTES_MAX: usize = 64 << 20;

/// Markdown up to this length is rendered on the thread that serves the request, in about a millisecond: passing it to another thread would take as
/// long.
const SHORT_BYTES: usize = 4 << 10;
/// Longer Markdown takes tenths of a second and up to 120 MB of memory, so one such body is rendered at a time.
pub(in crate::content) const LONG_BYTES: usize = 128 << 10;

/// The prefix of the addresses of pictures and files in bodies.
const ASSETS: &str = "/assets/";

/// How many pictures of a body get `srcset`, each about a kilobyte; those after them are shown as they are.
const WITH_WIDTHS_MAX: usize = 1_000;

/// Renders bodies, and caches the rendered forms.
pub struct Renderer {
    kept: Mutex<RenderedForms>,
    /// The address of the server, which is prepended to the paths of pictures and files; `None` leaves the paths.
    public_url: Option<SiteUrl>,
    /// The maximum size of a cached form, so that a large one does not displace all others.
    form_bytes_max: u64,
    /// One permit for each core except one, which is left for serving requests.
    medium: Arc<Semaphore>,
    long: Arc<Semaphore>,
    long_thread: LongThread,
}

impl Default for Renderer {
    fn default() -> Self {
        Self::keeping(KEPT_BYTES_MAX, None)
    }
}

impl Renderer {
    pub fn keeping(bytes_max: usize, public_url: Option<SiteUrl>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let medium = Arc::new(Semaphore::new(cores.saturating_sub(1).max(1)));
        let (hasher, lifecycle) = (RandomState::default(), DefaultLifecycle::default());
        let kept = Cache::with(bytes_max / USUAL_BYTES, bytes_max as u64, ByBytes, hasher, lifecycle);
        Self {
            kept: Mutex::new(kept),
            public_url,
            form_bytes_max: bytes_max as u64 / 2,
            medium,
            long: Arc::new(Semaphore::new(1)),
            long_thread: LongThread::default(),
        }
    }

    /// The rendered body, from the cache if possible.
    pub async fn rendered(self: &Arc<Self>, markdown: &Arc<str>) -> Arc<Rendered> {
        if let Some(found) = self.find(markdown) {
            return found;
        }
        let (renderer, markdown) = (Arc::clone(self), Arc::clone(markdown));
        // The form is cached even if the client has disconnected, for the next request.
        self.apart(markdown.len(), move || renderer.render_and_keep(markdown)).await
    }

    fn render_and_keep(&self, markdown: Arc<str>) -> Arc<Rendered> {
        // Another request may have rendered it while this one waited.
        if let Some(found) = self.find(&markdown) {
            return found;
        }
        let mut rendered = render(&markdown);
        rendered.html = self.with_assets(rendered.html);
        let rendered = Arc::new(rendered);
        self.keep(markdown, Arc::clone(&rendered));
        rendered
    }

    /// The HTML with absolute addresses of assets, if the server knows its own, and with the sizes of pictures.
    fn with_assets(&self, html: String) -> String {
        if !html.contains(ASSETS) {
            return html;
        }
        let address_of = |path: &str| SiteUrl::address(self.public_url.as_ref(), path);
        let absolute = html_links::with_addresses(&html, |path| {
            let name = path.strip_prefix(ASSETS)?.split(['?', '#']).next()?;
            name.parse::<AssetName>().ok().map(|_| address_of(path))
        });
        let mut left = WITH_WIDTHS_MAX;
        html_links::with_attributes_of_pictures(&absolute, |address| {
            let name: AssetName = address.strip_prefix(&address_of(ASSETS))?.parse().ok()?;
            let (width, height) = name.size?;
            let mut added = format!("width=\"{width}\" height=\"{height}\"");
            if !name.kind.is_drawing() && width > WIDTHS[0] && left > 0 {
                left -= 1;
                let (widths, sizes) =
                    (srcset(address, width, true), format!("(max-width: {width}px) 100vw, {width}px"));
                let _ = write!(added, " srcset=\"{widths}\" sizes=\"{sizes}\"");
            }
            Some(added)
        })
    }

    fn find(&self, markdown: &Arc<str>) -> Option<Arc<Rendered>> {
        self.kept().get(markdown).cloned()
    }

    fn keep(&self, markdown: Arc<str>, rendered: Arc<Rendered>) {
        if ByBytes.weight(&markdown, &rendered) <= self.form_bytes_max {
            self.kept().insert(markdown, rendered);
        }
    }

    /// The changes, with an excerpt that is generated from the changed or stored body, if they require one.
    pub async fn with_excerpt(&self, mut changes: PostChanges, stored: Arc<str>) -> PostChanges {
        if !changes.remakes_excerpt() {
            return changes;
        }
        let length = changes.markdown.value().map_or(stored.len(), String::len);
        self.apart(length, move || {
            changes.made_excerpt = Some(excerpt_of(changes.markdown.value().map_or(&*stored, String::as_str)));
            changes
        })
        .await
    }

    /// Runs work on a text of this length, on the calling thread only if the text is short. If the caller is dropped, pending work is dropped, too; running
    /// work keeps its permit until it ends.
    pub(in crate::content) async fn apart<T: Send + 'static>(
        &self,
        length: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        if length <= SHORT_BYTES {
            // Many short texts together take long, so this yields to other tasks.
            tokio::task::consume_budget().await;
            return work();
        }
        let is_long = length > LONG_BYTES;
        let places = if is_long { &self.long } else { &self.medium };
        let place = Arc::clone(places).acquire_owned().await.expect("the semaphore is never closed");
        let (sender, done) = oneshot::channel();
        let job = move || {
            let _place = place;
            if !sender.is_closed() {
                let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
            }
        };
        if is_long {
            self.long_thread.run(Box::new(job));
        } else {
            tokio::task::spawn_blocking(job);
        }
        match done.await.expect("a job whose caller waits is always done") {
            Ok(done) => done,
            Err(panic) => resume_unwind(panic),
        }
    }

    fn kept(&self) -> MutexGuard<'_, RenderedForms> {
        self.kept.lock().expect("no panic happens while this lock is held")
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// The thread that renders long bodies, started for the first one. All long bodies share it, because the allocator keeps the memory of a render for each
/// thread.
#[derive(Default)]
struct LongThread(OnceLock<mpsc::Sender<Job>>);

impl LongThread {
    fn run(&self, job: Job) {
        let jobs = self.0.get_or_init(|| {
            let (jobs, queue) = mpsc::channel::<Job>();
            // The thread ends when the renderer, which has the sender of its queue, is dropped.
            std::thread::spawn(move || queue.into_iter().for_each(|job| job()));
            jobs
        });
        // Sending cannot fail, because the thread outlives each job: a job catches its panics.
        let _ = jobs.send(job);
    }
}

/// The cache of rendered forms. With the Clock-PRO policy of `quick_cache`, forms that are requested once do not displace those that are requested again.
type RenderedForms = Cache<Arc<str>, Arc<Rendered>, ByBytes, RandomState>;

#[derive(Debug, Clone, Copy)]
struct ByBytes;

/// The bytes of a form in addition to its texts.
const FORM_BYTES: usize = 200;
/// The usual size of a form, which determines how many dropped forms are remembered.
const USUAL_BYTES: usize = 8 << 10;

impl Weighter<Arc<str>, Arc<Rendered>> for ByBytes {
    fn weight(&self, markdown: &Arc<str>, rendered: &Arc<Rendered>) -> u64 {
        (markdown.len() + rendered.html.len() + rendered.text.len() + FORM_BYTES) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Poll;

    use futures_util::poll;

    use super::*;

    /// Work that signals its start, and ends at a signal from the test.
    fn blocked_work() -> (impl FnOnce() + Send + 'static, mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        let work = move || {
            begun.send(()).expect("the test waits for it");
            let _ = may_end.recv();
        };
        (work, has_begun, end)
    }

    #[tokio::test]
    async fn cancelled_work_keeps_its_permit_if_it_has_begun_and_is_dropped_if_not() {
        let renderer = Renderer::default();
        let (work, has_begun, end) = blocked_work();
        let mut first = Box::pin(renderer.apart(LONG_BYTES + 1, work));
        assert!(poll!(&mut first).is_pending());
        has_begun.recv().expect("the job has begun");
        drop(first);
        assert_eq!(renderer.long.available_permits(), 0, "the first job is still running");
        let runs = Arc::new(AtomicUsize::new(0));
        for _ in 0..12 {
            let runs = Arc::clone(&runs);
            let mut next = Box::pin(renderer.apart(LONG_BYTES + 1, move || runs.fetch_add(1, Ordering::SeqCst)));
            assert!(poll!(&mut next).is_pending());
        }
        end.send(()).expect("the job waits");
        let last = Arc::clone(&runs);
        renderer.apart(LONG_BYTES + 1, move || last.fetch_add(1, Ordering::SeqCst)).await;
        assert_eq!(runs.load(Ordering::SeqCst), 1, "only the last job has run");
    }

    #[tokio::test]
    async fn shorter_texts_do_not_wait_for_long_ones() {
        let renderer = Renderer::default();
        let (work, has_begun, end) = blocked_work();
        let mut long = Box::pin(renderer.apart(LONG_BYTES + 1, work));
        assert!(poll!(&mut long).is_pending());
        has_begun.recv().expect("the job has begun");
        assert_eq!(renderer.apart(LONG_BYTES, || 1).await, 1);
        assert_eq!(renderer.apart(SHORT_BYTES, || 2).await, 2);
        end.send(()).expect("the job waits");
        long.await;
    }

    #[tokio::test]
    async fn a_body_is_rendered_once_and_cached() {
        let renderer = Arc::new(Renderer::default());
        let markdown: Arc<str> = "*a* ".repeat(10_000).into();
        let first = renderer.rendered(&markdown).await;
        assert_eq!(*first, render(&markdown));
        let mut again = Box::pin(renderer.rendered(&markdown));
        match poll!(&mut again) {
            Poll::Ready(again) => assert!(Arc::ptr_eq(&first, &again)),
            Poll::Pending => panic!("the form was not cached"),
        };
    }

    #[test]
    fn pictures_of_the_server_have_their_size_and_widths() {
        let picture = |width: u32, extension: &str| format!("/assets/{}-{width}x100.{extension}", "0".repeat(40));
        let (wide, drawing) = (picture(400, "png"), picture(400, "svg"));
        let unsized_one = format!("/assets/{}.png", "0".repeat(40));
        let file = format!("/assets/{}.pdf", "0".repeat(40));
        for server in ["", "https://a.example"] {
            let renderer = Renderer::keeping(0, server.parse().ok());
            let with_assets = |html: &str| renderer.with_assets(html.to_owned());
            let expected = format!(
                "<img src=\"{server}{wide}\" width=\"400\" height=\"100\" srcset=\"{server}{wide}?width=160 160w, \
                 {server}{wide}?width=320 320w, {server}{wide} 400w\" sizes=\"(max-width: 400px) 100vw, 400px\" alt=\"b\">"
            );
            assert_eq!(with_assets(&format!("<img src=\"{wide}\" alt=\"b\">")), expected);
            let expected = format!("<img src=\"{server}{drawing}\" width=\"400\" height=\"100\" alt=\"b\">");
            assert_eq!(with_assets(&format!("<img src=\"{drawing}\" alt=\"b\">")), expected);
            for (name, written) in
                [("src", &unsized_one), ("src", &format!("{wide}?width=320")), ("href", &wide), ("href", &file)]
            {
                let html = with_assets(&format!("<img {name}=\"{written}\">"));
                assert_eq!(html, format!("<img {name}=\"{server}{written}\">"));
            }
            let many = with_assets(&format!("<img src=\"{}\">", picture(3_000, "jpg")).repeat(2 * WITH_WIDTHS_MAX));
            assert_eq!(many.matches(" srcset=").count(), WITH_WIDTHS_MAX);
            assert_eq!(many.matches(" height=").count(), 2 * WITH_WIDTHS_MAX);
        }
    }

    #[test]
    fn the_cache_of_rendered_bodies_is_bounded_in_bytes_and_keeps_requested_forms() {
        let renderer = Renderer::keeping(100_000, None);
        let rendered = |bytes: usize| Arc::new(Rendered { html: "x".repeat(bytes), ..Rendered::default() });
        let often: Arc<str> = "often".into();
        renderer.keep(Arc::clone(&often), rendered(1_000));
        for number in 0..1_000 {
            renderer.keep(number.to_string().into(), rendered(1_000));
            assert!(renderer.find(&often).is_some());
            assert!(renderer.kept().weight() <= 100_000);
        }
        renderer.keep("large".into(), rendered(60_000));
        assert!(renderer.find(&"large".into()).is_none(), "one large form does not evict all others");
        let without = Renderer::keeping(0, None);
        without.keep(Arc::clone(&often), rendered(1));
        assert!(without.find(&often).is_none());
    }
}
