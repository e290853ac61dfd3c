//! `export --markdown` and the import of its folder: content, ids, dates, old slugs and pictures stay the same, byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::export::POSTS;
#[cfg(unix)]
use crate::support::command::limited;
use crate::support::command::{Blog, Ran, finish, run};

impl Blog {
    /// A path beside the posts.
    fn beside(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }

    fn export_to(&self, folder: &str, more: &[&str]) -> Ran {
        run(&[&["export", "--markdown", folder, "--store", &self.store()], more].concat())
    }
}

/// Whether both folders have the same files; `diff` is part of POSIX.
fn assert_same_folders(one: &str, other: &str) {
    let ran = Command::new("diff").args(["-r", one, other]).output().expect("diff runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

fn assert_same_after_markdown(blog: &Blog) {
    let folder = blog.beside("markdown");
    let ran = blog.export_to(&folder, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    let copy = Blog::of(&[]);
    let ran = copy.import_of(Path::new(&folder), &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // A picture that the first store did not get either.
    let is_unexpected =
        |line: &&str| line.starts_with("note ") && !line.ends_with("no such file in the imported folder");
    assert_eq!(ran.err.lines().find(is_unexpected), None);
    assert_eq!(copy.export(), blog.export());
    assert_eq!(copy.check().code, Some(0));
    let again = copy.import_of(Path::new(&folder), &[]);
    assert!(again.summary().starts_with("Imported: 0 created, 0 changed, "), "{again:?}");
    assert_eq!(copy.export_to(&copy.beside("markdown"), &[]).code, Some(0));
    assert_same_folders(&folder, &copy.beside("markdown"));
}

#[test]
fn a_blog_is_the_same_after_an_export_to_markdown() {
    let blog = Blog::of(&POSTS);
    assert_eq!(blog.import().code, Some(0));
    // Renamed, retagged and edited posts: versions, old slugs, and terms that no post has any more.
    blog.write("2025-01-10-tie.md", "---\ntitle: Tie\nslug: bow-tie\ntags: [a]\n---\nNew.\n");
    blog.write("draft.md", "---\ntitle: Draft\ndraft: true\n---\nDraft, second.\n");
    assert!(blog.import().summary().starts_with("Imported: 0 created, 2 changed, "));
    assert_same_after_markdown(&blog);
}

#[test]
fn the_example_blog_is_the_same_after_an_export_to_markdown() {
    let blog = Blog::of(&[]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    assert_eq!(blog.import_of(&example, &[]).code, Some(0));
    assert_same_after_markdown(&blog);
}

pub(super) fn png(red: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixel = image::RgbImage::from_pixel(2, 2, image::Rgb([red, 0, 0]));
    pixel.write_to(&mut bytes, image::ImageFormat::Png).expect("a PNG");
    bytes.into_inner()
}

fn names(folder: &str) -> BTreeSet<String> {
    let children = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    children.map(|child| child.expect("a child").file_name().to_string_lossy().into_owned()).collect()
}

/// The flag names another place than the one beside the store file, for the import and for the export.
#[test]
fn pictures_are_read_from_and_added_to_the_folder_that_the_flag_names() {
    let blog = Blog::of(&[(
        "a.md",
        "---\ntitle: A\ndate: 2025-01-01\ncover: {image: one.png, alt: One}\n---\n![](two.png)\n",
    )]);
    for (name, red) in [("one.png", 1), ("two.png", 2)] {
        fs::write(blog.posts().join(name), png(red)).expect("a file");
    }
    let (pictures, copies) = (blog.beside("pictures"), blog.beside("copies"));
    assert_eq!(blog.import_of(&blog.posts(), &["--assets", &pictures]).code, Some(0));
    let originals = names(&format!("{pictures}/originals"));
    assert_eq!(originals.len(), 2);
    assert!(!blog.path().join("store/assets").exists());

    let folder = blog.beside("markdown");
    let ran = blog.export_to(&folder, &["--assets", &pictures]);
    let summary = "Exported: 1 posts, 0 pages, 0 categories, tags, authors and series, 2 pictures and files\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), summary, ""));
    let sized: BTreeSet<String> = originals.iter().map(|name| name.replace('.', "-2x2.")).collect();
    assert_eq!(names(&format!("{folder}/assets")), sized);
    let text = fs::read_to_string(format!("{folder}/posts/a.md")).expect("a file");
    assert!(text.contains("cover: {image: \"../assets/") && text.contains("\n![](../assets/"), "{text}");

    let copy = Blog::of(&[]);
    assert_eq!(copy.import_of(Path::new(&folder), &["--assets", &copies]).code, Some(0));
    assert_eq!(names(&format!("{copies}/originals")), originals);
    assert_eq!(copy.export(), blog.export());
    let ran = copy.export_to(&copy.beside("markdown"), &["--assets", &copies]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_same_folders(&folder, &copy.beside("markdown"));

    // Without the pictures, the addresses are kept.
    let ran = blog.export_to(&blog.beside("without"), &["--assets", &blog.beside("nothing")]);
    let notes: Vec<&str> = ran.err.lines().collect();
    assert_eq!((ran.code, notes.len()), (Some(0), 2), "{ran:?}");
    assert!(notes[0].starts_with("note     posts/a.md: its cover asset-"), "{ran:?}");
    assert!(notes[1].starts_with("note     posts/a.md: its picture /assets/"), "{ran:?}");
}

#[test]
fn a_folder_with_files_is_refused_and_not_changed() {
    let blog = Blog::of(&POSTS);
    blog.import();
    let ran = blog.export_to(&blog.posts().display().to_string(), &[]);
    assert!(ran.complaint().ends_with("is not empty; name a folder that does not exist or is empty"), "{ran:?}");
    assert_eq!(names(&blog.posts().display().to_string()).len(), POSTS.len());
    let file = blog.beside("posts/draft.md");
    assert!(blog.export_to(&file, &[]).complaint().contains("draft.md cannot be written"));
    let both = run(&["export", "--markdown", "a", "b.jsonl", "--store", &blog.store()]);
    assert_eq!(both.code, Some(2), "{both:?}");
    // A working copy of Git.
    fs::create_dir_all(blog.path().join("copy/.git")).expect("a folder");
    assert_eq!(blog.export_to(&blog.beside("copy"), &[]).code, Some(0));
    assert_eq!(
        names(&blog.beside("copy")),
        [".git", "authors", "categories", "posts", "tags"].map(str::to_owned).into()
    );
}

#[cfg(unix)]
#[test]
fn an_export_that_was_not_completed_says_so_and_is_not_imported() {
    let blog = Blog::of(&POSTS);
    blog.write("large.md", &format!("---\ntitle: Large\ndate: 2026-01-01\n---\n{}\n", "x".repeat(7 << 20)));
    assert_eq!(blog.import().code, Some(0));
    let folder = blog.beside("markdown");
    // The store file is smaller, because the body is compressed.
    let ran = finish(limited(&["export", "--markdown", &folder, "--store", &blog.store()], 6 << 20));
    let complaint = ran.complaint();
    assert!(complaint.contains("is not complete; delete its files and export again"), "{ran:?}");
    assert!(complaint.contains("posts/large.md cannot be written"), "{ran:?}");
    assert!(names(&folder).contains("tidings-export-incomplete.txt"));
    let copy = Blog::of(&[]);
    let refused = copy.import_of(Path::new(&folder), &[]);
    assert!(refused.complaint().contains("was not completed"), "{refused:?}");
    assert!(!copy.path().join("store").exists());
    fs::remove_dir_all(&folder).expect("the folder");
    assert_eq!(blog.export_to(&folder, &[]).code, Some(0));
    assert!(!names(&folder).contains("tidings-export-incomplete.txt"));
}
