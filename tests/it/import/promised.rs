//! The lists of names in docs/moving.md. The rule: the test reads the page, so a name that is added there is tried, and one that is not read fails.

use std::sync::LazyLock;

use tidings::import::ImportedCover;

use super::read_folder::ReadFolder;

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/moving.md");
    std::fs::read_to_string(path).expect("the page")
});

/// What the page has between two texts.
fn part(from: &str, to: &str) -> &'static str {
    let rest = PAGE.split_once(from).unwrap_or_else(|| panic!("{from}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("{to}")).0
}

/// The names between two texts.
fn names(from: &str, to: &str) -> Vec<&'static str> {
    let names: Vec<&str> = part(from, to).split('`').skip(1).step_by(2).collect();
    assert!(names.len() > 1, "{from}: {names:?}");
    names
}

/// Whether a dated post with this line is a draft.
fn is_draft(line: &str) -> bool {
    ReadFolder::post(&format!("date: 2020-01-01\ntitle: A\n{line}")).0.is_draft
}

#[test]
fn every_mark_that_the_page_names_makes_a_draft() {
    let of_true = names("| marks | if they are true:", "; if they are false:").into_iter().map(|name| (name, "true"));
    let of_false = names("; if they are false:", ";").into_iter().map(|name| (name, "false"));
    let passwords = names("| a password | ", ", at any depth").into_iter().map(|name| (name, "hunter2"));
    for (name, value) in of_true.chain(of_false).chain(passwords) {
        for line in [format!("{name}: {value}"), format!("extra: {{{name}: {value}}}")] {
            assert!(is_draft(&line), "{line}");
        }
    }
    for key in names("| dates | ", ", if that is over") {
        assert!(is_draft(&format!("{key}: 2020-02-01")), "{key}");
    }
    for key in names("| words | a ", " that is `draft`") {
        for word in names(" or `state` that is ", "; a `visibility`") {
            assert!(is_draft(&format!("{key}: {word}")), "{key}: {word}");
        }
    }
    for word in names("`access` that is not ", " or yes |") {
        assert!(!is_draft(&format!("visibility: {word}")), "{word}");
    }
    assert!(is_draft("visibility: members") && is_draft("access: subscribers"));
}

#[test]
fn every_folder_that_the_page_names_is_hidden_left_out_or_one_of_posts() {
    let text = "---\ndate: 2020-01-01\ntitle: A\n---\n";
    for folder in names("most files of the import; folders ", ", in any case, unless") {
        let file = format!("posts/{folder}/a.md");
        assert!(ReadFolder::of(&[(file.as_str(), text)]).posts[&file].is_draft, "{folder}");
    }
    for folder in names("and a `note` names each: ", "; `themes`") {
        let file = format!("{folder}/a.md");
        let read = ReadFolder::of(&[(file.as_str(), text), ("posts/b.md", text)]);
        let has_note = read.notes.iter().any(|note| note.starts_with(&format!("{folder}: is not read")));
        assert!(has_note && !read.posts.contains_key(&file), "{folder}: {:?}", read.notes);
    }
    for folder in names("also if you import this folder itself: ", "; there, `created`") {
        let file = format!("{folder}/a.md");
        let read = ReadFolder::of(&[(file.as_str(), text), ("other/b.md", text)]);
        assert!(read.posts.contains_key(&file) && read.pages.contains_key("other/b.md"), "{folder}");
    }
}

#[test]
fn every_key_of_a_cover_that_the_page_names_is_read() {
    for key in names("; else the first of ", " that names a picture; also in") {
        let (post, _) = ReadFolder::post(&format!("date: 2020-01-01\n{key}: /a/b.png"));
        let is_read = matches!(&post.cover, ImportedCover::File { address, .. } if address == "/a/b.png");
        assert!(is_read, "{key}: {:?}", post.cover);
    }
}
