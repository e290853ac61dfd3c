//! `tidings import --watch` beside servers: what is saved in the folder is what readers see, however it is saved and whatever is killed meanwhile. The rule: a
//! test waits until it is so, and no test depends on how fast that is.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::assets::files::png;
use crate::support::azurite::{Azurite, connection_string, random_prefix};
use crate::support::command::{Blog, Ran, Serving, Watching, finish, run, tidings};

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\ntags: [first]\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-10-two.md", "---\ntitle: Two\n---\nTwo.\n");
const PATIENCE: Duration = Duration::from_secs(120);
const PRUNE: &[&str] = &["--prune", "--yes"];

/// Asks again until the answer is this one.
pub fn until<T: PartialEq + std::fmt::Debug>(expected: T, mut ask: impl FnMut() -> T) {
    let begun = Instant::now();
    loop {
        let found = ask();
        if found == expected {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "it stays {found:?} instead of {expected:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A blog with a server of its store.
struct Served {
    blog: Blog,
    /// The variables of its commands.
    settings: Vec<(&'static str, String)>,
    store: Vec<String>,
    serving: Option<Serving>,
}

impl Served {
    fn of(files: &[(&str, &str)]) -> Self {
        let blog = Blog::of(files);
        let store = vec!["--store".to_owned(), blog.store()];
        let mut served = Self { blog, settings: Vec::new(), store, serving: None };
        served.serve();
        served
    }

    fn on(azurite: &Azurite, files: &[(&str, &str)]) -> Self {
        let settings = vec![("AZURE_STORAGE_CONNECTION_STRING", connection_string(&azurite.endpoint))];
        let store = ["--store", "azure", "--table-prefix", &random_prefix()].map(str::to_owned).to_vec();
        let mut served = Self { blog: Blog::of(files), settings, store, serving: None };
        served.serve();
        served
    }

    fn with<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        arguments.iter().copied().chain(self.store.iter().map(String::as_str)).collect()
    }

    fn serve(&mut self) {
        let settings: Vec<_> = self.settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.serving = Some(Serving::start_with(&self.with(&["--create"]), &settings));
    }

    fn serving(&self) -> &Serving {
        self.serving.as_ref().expect("a server")
    }

    fn watch(&self, more: &[&str]) -> Watching {
        let posts = self.blog.posts().display().to_string();
        let mut command = tidings(&self.with(&[&["import", "--watch", &posts], more].concat()));
        command.envs(self.settings.iter().cloned());
        Watching::start(command)
    }

    fn import(&self, more: &[&str]) -> Ran {
        let posts = self.blog.posts().display().to_string();
        let mut command = tidings(&self.with(&[&["import", &posts], more].concat()));
        command.envs(self.settings.iter().cloned());
        finish(command)
    }

    /// The slug, the version and the body of each post, the latest first.
    fn posts(&self) -> Vec<(String, i64, String)> {
        let found = self.serving().query("{ posts { nodes { slug version body { markdown } } } }");
        let nodes = found["posts"]["nodes"].as_array().expect("nodes").clone();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let of = |node: &Value| {
            (text(&node["slug"]), node["version"].as_i64().expect("a version"), text(&node["body"]["markdown"]))
        };
        nodes.iter().map(of).collect()
    }

    fn slugs(&self) -> Vec<String> {
        self.posts().into_iter().map(|(slug, ..)| slug).collect()
    }

    fn id(&self, slug: &str) -> Value {
        self.serving().query(&format!("{{ post(slug: {slug:?}) {{ id slug }} }}"))["post"]["id"].clone()
    }

    fn rename(&self, from: &str, to: &str) {
        let posts = self.blog.posts();
        fs::create_dir_all(posts.join(to).parent().expect("a parent")).expect("a folder");
        fs::rename(posts.join(from), posts.join(to)).expect("a file");
    }
}

fn post(slug: &str, version: i64, body: &str) -> (String, i64, String) {
    (slug.to_owned(), version, body.to_owned())
}

/// Saves, as editors do it, are one version each; on both stores.
fn assert_follows(served: &Served) {
    let watching = served.watch(&[]);
    until(vec![post("one", 1, "One.\n")], || served.posts());
    served.blog.write(ONE.0, &ONE.1.replace("One.\n", "Edited.\n"));
    until(vec![post("one", 2, "Edited.\n")], || served.posts());
    // By a file beside it, as vim and many others.
    served.blog.write(".2025-01-10-one.md.swp", "no post");
    served.blog.write("4913", "");
    served.blog.remove("4913");
    served.rename(ONE.0, "2025-01-10-one.md~");
    served.blog.write(ONE.0, &ONE.1.replace("One.\n", "Saved by vim.\n"));
    served.blog.remove("2025-01-10-one.md~");
    until(vec![post("one", 3, "Saved by vim.\n")], || served.posts());
    served.blog.write("one.md.tmp", &ONE.1.replace("One.\n", "Renamed.\n"));
    served.rename("one.md.tmp", ONE.0);
    until(vec![post("one", 4, "Renamed.\n")], || served.posts());
    // In a new folder, and another one at once.
    served.blog.write(&format!("new/deep/{}", TWO.0), TWO.1);
    until(vec![post("two", 1, "Two.\n"), post("one", 4, "Renamed.\n")], || served.posts());
    // A deleted file keeps its post.
    served.blog.remove(ONE.0);
    served.blog.write(&format!("new/deep/{}", TWO.0), &TWO.1.replace("Two.\n", "Too.\n"));
    until(vec![post("two", 2, "Too.\n"), post("one", 4, "Renamed.\n")], || served.posts());
    let (code, errors) = watching.stop("INT");
    assert_eq!((code, errors), (Some(0), vec!["Importing 1 post …".to_owned()]));
}

#[test]
fn a_save_is_the_next_version_on_a_store_file() {
    assert_follows(&Served::of(&[ONE]));
}

#[test]
fn a_save_is_the_next_version_on_azurite() {
    let azurite = Azurite::any();
    assert_follows(&Served::on(&azurite, &[ONE]));
}

#[test]
fn a_file_with_an_error_keeps_its_version_until_it_is_mended() {
    let served = Served::of(&[ONE, TWO]);
    let watching = served.watch(PRUNE);
    served.blog.write(ONE.0, "---\ntitle: [One\n---\nBroken.\n");
    let line = watching.wait_for_error("failed   2025-01-10-one.md: ");
    assert!(line.ends_with("; what was published stays, and its next save is imported"), "{line}");
    // Nothing is removed while a file has an error.
    served.blog.remove(TWO.0);
    watching.wait_for_error("gone     nothing is listed");
    assert_eq!(served.posts(), [post("two", 1, "Two.\n"), post("one", 1, "One.\n")]);
    served.blog.write(ONE.0, &ONE.1.replace("One.\n", "Mended.\n"));
    until(vec![post("one", 2, "Mended.\n")], || served.posts());
    assert_eq!(watching.stop("TERM").0, Some(0));
}

/// The writer keeps the file open between the two halves.
#[test]
fn half_of_a_file_is_not_published() {
    use std::io::Write;
    let served = Served::of(&[ONE]);
    let watching = served.watch(&[]);
    let mut file = fs::File::create(served.blog.posts().join(ONE.0)).expect("a file");
    let (half, rest) = ONE.1.split_at(30);
    file.write_all(half.as_bytes()).expect("a half");
    file.write_all(rest.as_bytes()).expect("the rest");
    file.write_all(b"More.\n").expect("more");
    drop(file);
    until(vec![post("one", 2, "One.\nMore.\n")], || served.posts());
    assert_eq!(watching.stop("INT").0, Some(0));
}

#[test]
fn deleted_and_renamed_files_are_removed_and_moved_if_asked_for() {
    let files = [ONE, TWO, ("docs/a.md", "# A\n\nText of A."), ("docs/b.md", "# B\n\nText of B.")];
    let files = files.map(|(name, text)| match name.starts_with("docs") {
        true => (name, format!("---\nlayout: docs\n---\n{text}")),
        false => (name, text.to_owned()),
    });
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let azurite = Azurite::any();
    for served in [Served::of(&files), Served::on(&azurite, &files)] {
        let watching = served.watch(PRUNE);
        let page = |path: &str| {
            let found = served.serving().query(&format!("{{ page(path: {path:?}) {{ id path }} }}"));
            (found["page"]["path"].clone(), found["page"]["id"].clone())
        };
        let (id, [a, b]) = (served.id("one"), ["docs/a", "docs/b"].map(|path| page(path).1));
        served.rename(ONE.0, "2025-01-10-uno.md");
        until(vec!["two".to_owned(), "uno".to_owned()], || served.slugs());
        // The same post, which its former slug still finds.
        assert_eq!((served.id("uno"), served.id("one")), (id.clone(), id.clone()));
        // A folder, and a deletion at once.
        served.rename("docs", "manual/guide");
        served.blog.remove(TWO.0);
        until(vec!["uno".to_owned()], || served.slugs());
        for (path, id) in [("manual/guide/a", a), ("manual/guide/b", b)] {
            until((Value::from(path), id), || page(path));
        }
        until(Value::Null, || page("docs").0);
        assert_eq!(watching.stop("INT").0, Some(0));
        let again = served.import(&["--prune"]);
        assert_eq!(
            (again.code, again.counts_and_lines().0.as_str()),
            (Some(0), "0 created, 0 changed, 1 unchanged, 0 skipped, 0 failed"),
            "{again:?}"
        );
    }
}

/// As `git checkout` does it: hundreds of files change, appear and disappear.
#[test]
fn another_branch_is_imported() {
    let text = |n: usize, branch: &str| format!("---\ntitle: Post {n}\ndate: 2025-01-01\n---\n{branch} {n}\n");
    let names: Vec<String> = (0..300).map(|n| format!("post-{n:03}.md")).collect();
    let served = Served::of(&[]);
    names[..200].iter().enumerate().for_each(|(n, name)| served.blog.write(name, &text(n, "main")));
    let watching = served.watch(PRUNE);
    names[..100].iter().for_each(|name| served.blog.remove(name));
    names[100..].iter().enumerate().for_each(|(n, name)| served.blog.write(name, &text(n + 100, "branch")));
    let bodies = || {
        let found = served.serving().query("{ posts(first: 100) { totalCount nodes { body { markdown } } } }");
        let are_new = found["posts"]["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .all(|node| node["body"]["markdown"].as_str().expect("a text").starts_with("branch"));
        (found["posts"]["totalCount"].as_u64(), are_new)
    };
    until((Some(200), true), bodies);
    assert_eq!(watching.stop("INT").0, Some(0));
    drop(served.serving);
    assert!(served.blog.check().out.ends_with(": 0 differences\n"));
}

#[test]
fn a_picture_that_changes_is_imported() {
    let served = Served::of(&[("2025-01-10-one.md", "---\ntitle: One\n---\n![A](a.png)\n")]);
    fs::write(served.blog.posts().join("a.png"), png(20, 10)).expect("a file");
    let watching = served.watch(&[]);
    let before = served.posts();
    assert!(before[0].2.contains("/assets/"), "{before:?}");
    fs::write(served.blog.posts().join("a.png"), png(30, 10)).expect("a file");
    until(true, || served.posts()[0].1 == 2 && served.posts()[0].2 != before[0].2);
    assert_eq!(watching.stop("INT").0, Some(0));
}

#[test]
fn a_watch_goes_on_with_the_next_server_and_without_one() {
    let mut served = Served::of(&[ONE]);
    let watching = served.watch(&[]);
    let edited = |n: u32| ONE.1.replace("One.\n", &format!("Edit {n}.\n"));
    assert_eq!(served.serving.take().expect("a server").stop().0, Some(0));
    served.blog.write(ONE.0, &edited(1));
    assert_eq!(watching.wait_for("Imported: "), "1 changed");
    served.serve();
    assert_eq!(served.posts(), [post("one", 2, "Edit 1.\n")]);
    served.serving.take().expect("a server").kill();
    served.serve();
    served.blog.write(ONE.0, &edited(2));
    until(vec![post("one", 3, "Edit 2.\n")], || served.posts());
    assert_eq!(watching.stop("INT").0, Some(0));
}

#[test]
fn a_killed_watch_is_made_good_by_the_next_one() {
    let served = Served::of(&[ONE]);
    let watching = served.watch(&[]);
    served.blog.write(TWO.0, TWO.1);
    watching.kill();
    served.blog.remove(ONE.0);
    served.blog.write(TWO.0, &TWO.1.replace("Two.\n", "Too.\n"));
    let watching = served.watch(PRUNE);
    until(vec!["two".to_owned()], || served.slugs());
    assert_eq!(served.posts()[0].2, "Too.\n");
    assert_eq!(watching.stop("INT").0, Some(0));
}

#[test]
fn two_watches_of_one_folder_publish_each_save_once() {
    let served = Served::of(&[ONE]);
    let both = [served.watch(&[]), served.watch(&[])];
    for n in 2..8 {
        served.blog.write(ONE.0, &ONE.1.replace("One.\n", &format!("Edit {n}.\n")));
        served.blog.write(&format!("2025-03-0{n}-new.md"), &format!("---\ntitle: New {n}\n---\nNew {n}.\n"));
        until(Some(post("one", n, &format!("Edit {n}.\n"))), || served.posts().pop());
        until(usize::try_from(n).expect("small"), || served.posts().len());
    }
    for watching in both {
        let (code, errors) = watching.stop("INT");
        assert_eq!((code, errors.iter().any(|line| line.starts_with("failed"))), (Some(0), false), "{errors:?}");
    }
}

#[test]
fn a_folder_that_is_emptied_and_comes_back_is_imported() {
    let served = Served::of(&[ONE]);
    let watching = served.watch(PRUNE);
    served.blog.remove(ONE.0);
    watching.wait_for_error("failed   no .md file in ");
    assert_eq!(served.slugs(), ["one"]);
    // The folder itself is replaced.
    fs::remove_dir(served.blog.posts()).expect("an empty folder");
    watching.wait_for_error("failed   ");
    served.blog.write(TWO.0, TWO.1);
    until(vec!["two".to_owned()], || served.slugs());
    served.blog.write(TWO.0, &TWO.1.replace("Two.\n", "Too.\n"));
    until("Too.\n".to_owned(), || served.posts()[0].2.clone());
    assert_eq!(watching.stop("INT").0, Some(0));
}

/// As when a folder above is moved: no event of the folder itself says so.
#[test]
fn a_link_that_names_another_folder_is_followed() {
    let served = Served::of(&[ONE]);
    let away = served.blog.path().join("away");
    let link = served.blog.path().join("current");
    std::os::unix::fs::symlink(served.blog.posts(), &link).expect("a link");
    let path = link.display().to_string();
    let mut command = tidings(&served.with(&["import", "--watch", &path]));
    command.envs(served.settings.iter().cloned());
    let watching = Watching::start(command);
    until(vec!["one".to_owned()], || served.slugs());
    crate::support::folder::write(&away, TWO.0, TWO.1);
    fs::remove_file(&link).expect("a link");
    std::os::unix::fs::symlink(&away, &link).expect("a link");
    until(vec!["two".to_owned(), "one".to_owned()], || served.slugs());
    crate::support::folder::write(&away, TWO.0, &TWO.1.replace("Two.\n", "Too.\n"));
    until("Too.\n".to_owned(), || served.posts()[0].2.clone());
    assert_eq!(watching.stop("INT").0, Some(0));
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let blog = Blog::of(&[ONE]);
    let (posts, store) = (blog.posts().display().to_string(), blog.store());
    let file = blog.posts().join(ONE.0).display().to_string();
    let watch = |path: &str, more: &[&str]| run(&[&["import", "--watch", path, "--store", &store], more].concat());
    assert!(watch(&file, &[]).complaint().starts_with("--watch is for a folder of Markdown files, and "));
    assert!(watch(&posts, &["--prune"]).complaint().starts_with("--watch does not ask before it removes"));
    for more in [&["--dry-run"][..], &["--report", "r.json"], &["--yes"]] {
        let refused = watch(&posts, more);
        assert_eq!((refused.code, refused.err.contains(more[0])), (Some(2), true), "{refused:?}");
    }
    blog.write("content.jsonl", "{\"tidings\":1}\n");
    assert!(watch(&posts, &[]).complaint().starts_with("--watch is for a folder of Markdown files, and "));
    assert!(!blog.path().join("store").exists(), "a store was created");
}
