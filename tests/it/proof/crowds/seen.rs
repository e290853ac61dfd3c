//! Which answers are reported as violations and which are excused, tested with constructed answers. The rule: one case for each kind of answer that
//! no reader is allowed to get.

use std::time::Duration;

use super::change::{Change, Fields, Named};
use super::client::Outcome;
use super::content::{Content, Expected, Shown, term_id, text_of};
use super::ledger::Ledger;
use super::watch::{Listing, has_term};
use tidings::model::TermKind;

const ID: &str = "post-000000000001";
const TAG: &str = "tag-ash";
const KIND: usize = 1;
/// After the beginning of the log: before all servers must show what one has acknowledged, and after.
const JUST_AFTER: Duration = Duration::from_secs(1);
const LONG_AFTER: Duration = Duration::from_secs(3_600);

/// A version of the post. A draft has no publication date.
fn shown(version: i32, tags: &[&str], is_draft: bool) -> Shown {
    let content = Content {
        slug: "slug".to_owned(),
        title: format!("Version {version}"),
        body: text_of(&format!("Version {version}")),
        published_at: (!is_draft).then(|| "2026-05-01T00:00:00.000Z".to_owned()),
        terms: [Vec::new(), tags.iter().map(|tag| term_id(TermKind::Tag, tag)).collect(), Vec::new(), Vec::new()],
    };
    let status = if is_draft { "DRAFT" } else { "PUBLISHED" };
    Shown { id: ID.to_owned(), version, status: status.to_owned(), content }
}

/// A change that makes the next version, with these tags.
fn retag(base: &Shown, tags: &[&str]) -> Change {
    let mut terms = Named { are_fixed: true, ..Named::default() };
    terms.slugs[KIND] = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
    let title = Some(format!("Version {}", base.version + 1));
    Change::UpdatePost { base: base.clone(), fields: Fields { title, terms, ..Fields::default() } }
}

fn made(post: Shown) -> Outcome {
    Outcome::Made { id: ID.to_owned(), post: Some(Box::new(post)) }
}

/// The post with the tag `ash` in version 1, and without it in version 2, both acknowledged by server 0 of two.
fn two_versions() -> Ledger {
    let mut ledger = Ledger::new(2);
    let (slug, title) = ("slug".to_owned(), "Version 1".to_owned());
    let mut terms = Named { are_fixed: true, ..Named::default() };
    terms.slugs[KIND] = Some(vec!["ash".to_owned()]);
    let publish_at = Some("2026-05-01T00:00:00.000Z".to_owned());
    let created = ledger.begin("one", 0, Change::CreatePost { slug, title, publish_at, terms });
    ledger.end(created, made(shown(1, &["ash"], false)));
    let changed = ledger.begin("two", 0, retag(&shown(1, &["ash"], false), &[]));
    ledger.end(changed, made(shown(2, &[], false)));
    assert!(ledger.violations.is_empty(), "{:?}", ledger.violations);
    ledger
}

/// The list of the tag, or of all posts, as an answer shows it.
fn list(ledger: &mut Ledger, server: usize, posts: Vec<Shown>, is_of_the_tag: bool, has_next: bool) {
    let watch = ledger.watch(server);
    let belongs = |content: &Expected| if is_of_the_tag { has_term(content, KIND, TAG) } else { Some(true) };
    let listing = Listing { name: "a list", first: 2, posts, has_next, has_previous: false, belongs: &belongs };
    ledger.examine_list(&watch, &listing);
}

fn assert_detected(ledger: &Ledger, part: &str) {
    let found: Vec<&str> = ledger.violations.kept.iter().map(|violation| violation.what.as_str()).collect();
    assert!(matches!(found.as_slice(), [one] if one.contains(part)), "{part:?} in {found:?}");
}

fn assert_excused(ledger: &Ledger) {
    assert!(ledger.violations.is_empty(), "{:?}", ledger.violations.kept);
}

#[test]
fn acknowledged_versions_are_accepted() {
    let mut ledger = two_versions();
    list(&mut ledger, 0, vec![shown(2, &[], false)], false, false);
    list(&mut ledger, 0, Vec::new(), true, false);
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, Some(&shown(2, &[], false)), true);
    ledger.examine_slug(&watch, "slug", Some(&shown(2, &[], false)));
    assert_excused(&ledger);
}

#[test]
fn a_draft_shown_to_a_reader_is_detected() {
    let mut ledger = two_versions();
    let unpublished = ledger.begin("three", 0, Change::UnpublishPost { base: shown(2, &[], false) });
    let mut draft = shown(3, &[], true);
    (draft.content.title, draft.content.body) = (shown(2, &[], false).content.title, text_of("Version 2"));
    ledger.end(unpublished, made(draft.clone()));
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, Some(&draft), true);
    assert_detected(&ledger, "shows version 3, DRAFT, to a reader");
}

#[test]
fn a_title_with_the_body_of_another_version_is_detected() {
    let mut ledger = two_versions();
    let mut mixed = shown(2, &[], false);
    mixed.content.body = text_of("Version 1");
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, Some(&mixed), true);
    assert_detected(&ledger, "shows version 2 otherwise: body is");
}

#[test]
fn a_post_in_the_list_of_a_tag_that_it_does_not_have_is_detected() {
    let mut ledger = two_versions();
    list(&mut ledger, 0, vec![shown(2, &[], false)], true, false);
    assert_detected(&ledger, "does not belong to it");
}

#[test]
fn a_page_that_is_not_full_before_the_next_one_is_detected() {
    let mut ledger = two_versions();
    list(&mut ledger, 0, vec![shown(2, &[], false)], false, true);
    assert_detected(&ledger, "has a next page after 1 of 2 posts");
}

#[test]
fn a_post_twice_on_a_page_is_detected() {
    let mut ledger = two_versions();
    list(&mut ledger, 0, vec![shown(2, &[], false); 2], false, false);
    assert_detected(&ledger, "twice");
}

#[test]
fn an_earlier_version_than_the_acknowledged_one_is_detected_on_the_same_server_only() {
    let mut ledger = two_versions();
    let watch = ledger.watch_at(1, JUST_AFTER);
    ledger.examine_lookup(&watch, ID, Some(&shown(1, &["ash"], false)), true);
    assert_excused(&ledger);
    let watch = ledger.watch_at(0, JUST_AFTER);
    ledger.examine_lookup(&watch, ID, Some(&shown(1, &["ash"], false)), true);
    assert_detected(&ledger, "node of server 0 shows version 1; version 2 was acknowledged before");
}

#[test]
fn what_was_acknowledged_long_ago_is_missed_on_every_server() {
    let mut ledger = two_versions();
    let watch = ledger.watch_at(1, LONG_AFTER);
    ledger.examine_lookup(&watch, ID, Some(&shown(1, &["ash"], false)), true);
    assert_detected(&ledger, "node of server 1 shows version 1; version 2 was acknowledged before");
    let mut ledger = two_versions();
    let deleted = ledger.begin("three", 0, Change::DeletePost { base: shown(2, &[], false) });
    ledger.end(deleted, Outcome::Made { id: ID.to_owned(), post: None });
    let watch = ledger.watch_at(1, JUST_AFTER);
    ledger.examine_lookup(&watch, ID, Some(&shown(2, &[], false)), true);
    assert_excused(&ledger);
    let watch = ledger.watch_at(1, LONG_AFTER);
    ledger.examine_lookup(&watch, ID, Some(&shown(2, &[], false)), true);
    assert_detected(&ledger, "after the deletion was acknowledged");
}

#[test]
fn a_missing_acknowledged_post_is_detected() {
    let mut ledger = two_versions();
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, None, true);
    assert_detected(&ledger, "node of server 0 is null");
    let mut ledger = two_versions();
    let watch = ledger.watch(0);
    ledger.examine_slug(&watch, "slug", None);
    assert_detected(&ledger, "shows nothing");
    let mut ledger = two_versions();
    list(&mut ledger, 0, Vec::new(), false, false);
    assert_detected(&ledger, "lacks a post that belongs to it");
}

#[test]
fn a_change_under_way_excuses_what_it_may_have_made() {
    let mut ledger = two_versions();
    ledger.begin("three", 1, retag(&shown(2, &[], false), &["ash"]));
    list(&mut ledger, 0, vec![shown(3, &["ash"], false)], true, false);
    list(&mut ledger, 0, Vec::new(), true, false);
    assert_excused(&ledger);
    list(&mut ledger, 0, vec![shown(3, &["fir"], false)], false, false);
    assert_detected(&ledger, "shows version 3 otherwise");
}

#[test]
fn a_change_that_is_too_late_excuses_nothing() {
    let mut ledger = two_versions();
    ledger.begin("three", 1, Change::DeletePost { base: shown(1, &["ash"], false) });
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, None, true);
    assert_detected(&ledger, "node of server 0 is null");
}

#[test]
fn a_version_that_nobody_made_is_detected() {
    let mut ledger = two_versions();
    let refused = ledger.begin("three", 0, retag(&shown(2, &[], false), &["ash"]));
    ledger.end(refused, Outcome::Refused { code: "CONFLICT".to_owned(), message: String::new() });
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, Some(&shown(3, &["ash"], false)), true);
    assert_detected(&ledger, "which nobody has made");
}

#[test]
fn a_deleted_post_that_is_shown_is_detected() {
    let mut ledger = two_versions();
    let deleted = ledger.begin("three", 0, Change::DeletePost { base: shown(2, &[], false) });
    ledger.end(deleted, Outcome::Made { id: ID.to_owned(), post: None });
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, None, true);
    assert_excused(&ledger);
    ledger.examine_lookup(&watch, ID, Some(&shown(2, &[], false)), true);
    assert_detected(&ledger, "after the deletion was acknowledged");
}

#[test]
fn an_answer_to_an_editor_that_lacked_a_term_is_detected_once() {
    let mut ledger = two_versions();
    for _ in 0..2 {
        let watch = ledger.watch(0);
        ledger.examine_lookup(&watch, ID, Some(&shown(2, &["fir"], false)), true);
    }
    assert_detected(&ledger, "operation 1 was answered without terms of version 2");
}

/// An answer without the tag `fir` that a reader sees; another editor deletes a term of this kind while the answer is made, or after it.
fn answered_beside_a_deletion(kind: TermKind, deletes: Outcome, is_after: bool) -> Ledger {
    // So that no two events have the same time.
    let wait = || std::thread::sleep(Duration::from_millis(1));
    let mut ledger = two_versions();
    let retagged = ledger.begin("one", 0, retag(&shown(2, &[], false), &["fir"]));
    wait();
    if is_after {
        ledger.end(retagged, made(shown(3, &[], false)));
        wait();
    }
    let deleted = ledger.begin("two", 0, Change::DeleteTerm { kind, slug: "renamed".to_owned() });
    ledger.end(deleted, deletes);
    wait();
    if !is_after {
        ledger.end(retagged, made(shown(3, &[], false)));
    }
    let watch = ledger.watch(0);
    ledger.examine_lookup(&watch, ID, Some(&shown(3, &["fir"], false)), true);
    ledger
}

#[test]
fn an_answer_to_an_editor_may_lack_a_term_that_was_deleted_before_it_was_read_and_no_other() {
    let deleted = |slug| Outcome::Made { id: term_id(TermKind::Tag, slug), post: None };
    let unknown = || Outcome::Unknown { code: String::new(), message: String::new() };
    let refused = Outcome::Refused { code: "IN_USE".to_owned(), message: String::new() };
    assert_excused(&answered_beside_a_deletion(TermKind::Tag, deleted("fir"), false));
    assert_excused(&answered_beside_a_deletion(TermKind::Tag, unknown(), false));
    for (kind, outcome, is_after) in [
        (TermKind::Tag, deleted("oak"), false),
        (TermKind::Tag, refused, false),
        (TermKind::Series, unknown(), false),
        (TermKind::Tag, deleted("fir"), true),
        (TermKind::Tag, unknown(), true),
    ] {
        let ledger = answered_beside_a_deletion(kind, outcome, is_after);
        assert_detected(&ledger, "was answered without terms of version 3");
    }
}

#[test]
fn two_acknowledgements_of_one_version_are_detected() {
    let mut ledger = two_versions();
    let again = ledger.begin("three", 1, retag(&shown(1, &["ash"], false), &[]));
    ledger.end(again, made(shown(2, &[], false)));
    assert_detected(&ledger, "version 2 was made by operation 1 and by operation 2");
}
