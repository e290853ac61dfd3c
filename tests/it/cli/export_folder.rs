//! `export FOLDER` and the import of it: the whole site, with the pictures and what is said of them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, Serving, run};
use crate::support::folder::contents_of;

const TOKEN: &str = "a-token-of-more-than-24-characters";
const PICTURES: &str = "{ assets(first: 100) { nodes { id version originalName createdAt ... on Image { alt caption width height focalPoint { x y } } } } }";
const INCOMPLETE: &str = "tidings-export-incomplete.txt";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn export(blog: &Blog, arguments: &[&str]) -> Ran {
    run(&[&["export"], arguments, &["--store", &blog.store()]].concat())
}

/// A store with the example blog, one of whose pictures has everything that can be said of a picture.
fn described() -> Blog {
    let blog = Blog::of(&[]);
    assert_eq!(blog.import_of(&example(), &[]).code, Some(0));
    let serving = serve(&blog);
    let id = pictures(&serving)["assets"]["nodes"][3]["id"].clone();
    let update = "mutation($id: ID!) { updateAsset(input: { id: $id, expectedVersion: 1, alt: \"A — \\\"boat\\\"\", caption: \"Två\\nlines\", focalPoint: { x: 30, y: 0 } }) \
                  { userErrors { message } } }";
    let bearer = format!("Bearer {TOKEN}");
    let body = json!({ "query": update, "variables": { "id": id } });
    let (_, answer) = serving.post(&[("authorization", &bearer)], &body);
    assert_eq!(answer, json!({ "data": { "updateAsset": { "userErrors": [] } } }));
    assert_eq!(serving.stop().0, Some(0));
    blog
}

fn serve(blog: &Blog) -> Serving {
    Serving::start_with(&["--store", &blog.store()], &[("TIDINGS_EDITOR_TOKEN", TOKEN)])
}

fn pictures(serving: &Serving) -> Value {
    serving.ask_as(Some(TOKEN), PICTURES)["data"].clone()
}

#[test]
fn a_site_is_the_same_after_an_export_to_a_folder_and_its_import() {
    let blog = described();
    let folder = blog.path().join("backup");
    let ran = export(&blog, &[text(&folder)]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    assert!(
        ran.summary().starts_with("Exported: 26 posts, 7 pages, ")
            && ran.summary().ends_with(", 20 pictures and files")
    );
    // The folder, and the file in it, which also finds the pictures.
    for source in [folder.clone(), folder.join("content.jsonl")] {
        let copy = Blog::of(&[]);
        let dry = copy.import_of(&source, &["--dry-run"]);
        assert!(dry.summary().ends_with("; pictures and files: 20 created, 0 unchanged"), "{dry:?}");
        let ran = copy.import_of(&source, &[]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), "Importing 26 posts …\n"), "{ran:?}");
        assert!(ran.summary().starts_with("Imported: 26 created, "), "{ran:?}");
        assert!(ran.summary().ends_with("; pictures and files: 20 created, 0 unchanged"), "{ran:?}");
        assert_eq!(copy.export(), blog.export());
        let again = copy.import_of(&source, &[]);
        assert!(again.summary().starts_with("Imported: 0 created, 0 changed, 26 unchanged, "), "{again:?}");
        assert!(again.summary().ends_with("; pictures and files: 0 created, 20 unchanged"), "{again:?}");
        let [here, there] = [&blog, &copy].map(|of| {
            let serving = serve(of);
            let found = pictures(&serving);
            assert_eq!(serving.stop().0, Some(0));
            found
        });
        assert_eq!(here, there);
        assert_eq!(here["assets"]["nodes"].as_array().map(Vec::len), Some(20));
        let beside = copy.path().join("backup");
        assert_eq!(export(&copy, &[text(&beside)]).code, Some(0));
        assert_eq!(contents_of(&beside), contents_of(&folder));
    }
}

#[test]
fn a_path_is_a_folder_or_a_file_by_what_it_is_and_by_its_ending() {
    let blog = Blog::of(&[("2025-01-01-a.md", "---\ntitle: A\n---\nA.\n")]);
    blog.import();
    let beside = |name: &str| format!("{}/{name}", blog.path().display());
    for folder in ["empty", ".hidden", "with.ending"] {
        fs::create_dir(beside(folder)).expect("a folder");
    }
    for file in ["old", "old.jsonl"] {
        fs::write(beside(file), "old").expect("a file");
    }
    for (path, is_folder) in [
        ("empty", true),
        (".hidden", true),
        ("with.ending", true),
        ("new", true),
        ("new.jsonl/", true),
        ("deep/new/", true),
        ("old", false),
        ("old.jsonl", false),
        ("other.jsonl", false),
        ("new.json", false),
    ] {
        let ran = export(&blog, &[&beside(path)]);
        assert_eq!(ran.code, Some(0), "{path}: {ran:?}");
        let content = if is_folder { format!("{}/content.jsonl", beside(path)) } else { beside(path) };
        assert_eq!(fs::read_to_string(content).expect("the content"), blog.export(), "{path}");
    }
}

#[test]
fn an_export_without_the_pictures_says_so() {
    let blog = Blog::of(&[]);
    blog.import_of(&example(), &[]);
    let says = "Exported 26 posts, without the 20 pictures and files: `tidings export FOLDER` writes them too\n";
    let file = blog.path().join("backup.jsonl");
    for arguments in [&[][..], &["-"], &[text(&file)]] {
        let ran = export(&blog, arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), says), "{arguments:?}");
        assert_eq!(ran.out.is_empty(), arguments == [text(&file)]);
    }
    // `-` is no file, as POSIX says.
    assert!(!Path::new("-").exists() && !blog.path().join("-").exists());
    assert_eq!(fs::read_to_string(&file).expect("a file"), blog.export());
}

#[test]
fn only_the_owner_can_read_an_export_and_a_file_that_exists_keeps_its_mode() {
    let blog = Blog::of(&[("draft.md", "---\ntitle: A\ndraft: true\n---\nA.\n")]);
    blog.import_of(&example(), &[]);
    let mode = |path: &Path| fs::metadata(path).expect("it was written").permissions().mode() & 0o777;
    let [file, old, folder, markdown] =
        ["new.jsonl", "old.jsonl", "folder", "markdown"].map(|name| blog.path().join(name));
    fs::write(&old, "").expect("a file");
    fs::set_permissions(&old, PermissionsExt::from_mode(0o640)).expect("permissions");
    for arguments in [&[text(&file)][..], &[text(&old)], &[text(&folder)], &["--markdown", text(&markdown)]] {
        assert_eq!(export(&blog, arguments).code, Some(0), "{arguments:?}");
    }
    assert_eq!((mode(&file), mode(&old), mode(&folder), mode(&markdown)), (0o600, 0o640, 0o700, 0o700));
    for root in [folder, markdown] {
        for path in contents_of(&root).keys() {
            assert_eq!(mode(&root.join(path)), 0o600, "{}", path.display());
        }
    }
}

#[test]
fn a_folder_that_is_not_empty_or_not_complete_is_refused() {
    let blog = Blog::of(&[("2025-01-01-a.md", "---\ntitle: A\n---\nA.\n")]);
    blog.import();
    let folder = blog.path().join("backup");
    assert_eq!(export(&blog, &[text(&folder)]).code, Some(0));
    let before = contents_of(&folder);
    let refused = export(&blog, &[text(&folder)]);
    assert!(
        refused.complaint().ends_with("is not empty; name a folder that does not exist or is empty"),
        "{refused:?}"
    );
    assert_eq!(contents_of(&folder), before);
    fs::write(folder.join(INCOMPLETE), "").expect("a file");
    for source in [folder.clone(), folder.join("content.jsonl")] {
        let refused = Blog::of(&[]).import_of(&source, &[]);
        assert!(refused.complaint().contains("has an export that was not completed"), "{refused:?}");
    }
}

#[test]
fn a_picture_that_is_missing_or_is_no_picture_is_noted_and_stops_nothing() {
    let blog = Blog::of(&[]);
    blog.import_of(&example(), &[]);
    let folder = blog.path().join("backup");
    assert_eq!(export(&blog, &[text(&folder)]).code, Some(0));
    let assets = folder.join("assets");
    let mut names: Vec<PathBuf> =
        fs::read_dir(&assets).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    let secret = blog.path().join("secret.jpg");
    fs::rename(&names[0], &secret).expect("a file");
    symlink(&secret, &names[0]).expect("a link");
    fs::remove_file(&names[1]).expect("a file");
    fs::remove_file(&names[2]).expect("a file");
    assert!(Command::new("mkfifo").arg(&names[2]).status().expect("mkfifo runs").success());
    fs::write(&names[3], "no picture").expect("a file");
    let other = fs::read(&names[4]).expect("a picture");
    fs::write(&names[5], other).expect("a file");
    let copy = Blog::of(&[]);
    let ran = copy.import_of(&folder, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let notes: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("note ")).collect();
    assert_eq!(notes.len(), 5, "{notes:#?}");
    let of = |at: usize| {
        let name = names[at].file_name().expect("a name").to_string_lossy().into_owned();
        let found = notes.iter().find(|note| note.starts_with(&format!("note     picture assets/{name}: ")));
        (*found.unwrap_or_else(|| panic!("{name}: {notes:#?}"))).to_owned()
    };
    for at in 0..3 {
        assert!(of(at).ends_with("is not imported: there is no such file beside the export"), "{}", of(at));
    }
    assert!(of(3).contains("is not imported: ") && of(5).contains("its bytes have changed"), "{notes:#?}");
    assert!(ran.summary().ends_with("; pictures and files: 15 created, 1 unchanged"), "{ran:?}");
    // The posts keep the names of their pictures, so that they are shown when these are added.
    assert_eq!(copy.export(), blog.export());
}

#[test]
fn the_name_of_the_standard_streams_is_no_file() {
    let blog = Blog::of(&[("2025-01-01-a.md", "---\ntitle: A\n---\nA.\n")]);
    let (posts, store) = (blog.posts(), blog.store());
    for (arguments, complaint) in [
        (&["import", "-"][..], "the standard input (-) cannot be imported"),
        (&["serve", "--listen", "127.0.0.1:0", "--import", "-"], "the standard input (-) cannot be imported"),
        (&["import", text(&posts), "--report", "-"], "--report writes a file"),
        (&["export", "--markdown", "-"], "--markdown writes a folder"),
    ] {
        let refused = run(&[arguments, &["--store", &store]].concat());
        assert!(refused.complaint().starts_with(complaint), "{arguments:?}: {refused:?}");
    }
    assert!(!blog.path().join("store").exists(), "a store was created");
}
