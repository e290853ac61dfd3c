//! Property tests of keys, cursors and ids: a formatted key parses back to the same value, the order of the rows is the order of the posts,
//! and a hostile text parses only if it is exactly the text that the server formats.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use tidings::keys::change_name::ChangeName;
use tidings::keys::cursor::{self, ListTag};
use tidings::keys::history;
use tidings::keys::lookup::{self, Lookup};
use tidings::keys::time::{self, Direction};
use tidings::keys::{Collection, PostPlace, place, term};
use tidings::model::instant::TICKS_MAX;
use tidings::model::slug::SLUG_BYTES_MAX;
use tidings::model::{CreationId, Instant, Month, NodeId, PostId, PostKey, Slug, TermId, TermKind, TermNodeId};
use tidings::store::Key;

/// 2,000 cases for each property take a second or two in a debug build.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) }
}

/// Instants of the whole range, and many from a range of ten ticks, so that ties occur.
fn instants() -> impl Strategy<Value = Instant> {
    let ticks =
        prop_oneof![0..=TICKS_MAX, 638_741_523_061_234_560..638_741_523_061_234_570i64, Just(0), Just(TICKS_MAX)];
    ticks.prop_map(|ticks| Instant::from_ticks(ticks).expect("ticks of the calendar"))
}

fn post_ids() -> impl Strategy<Value = PostId> {
    prop_oneof![any::<u64>(), 0..40u64, Just(u64::MAX)].prop_map(PostId::from_bits)
}

fn post_keys() -> impl Strategy<Value = PostKey> {
    (instants(), post_ids()).prop_map(|(at, id)| PostKey { at, id })
}

fn slugs() -> impl Strategy<Value = Slug> {
    let texts = prop_oneof!["[a-z0-9][a-z0-9._-]{0,10}[a-z0-9]", "[a-z0-9]", "[a-z0-9][a-z0-9._-]{198}[a-z0-9]"];
    texts.prop_map(|text| text.parse().expect("a slug"))
}

fn kinds() -> impl Strategy<Value = TermKind> {
    proptest::sample::select(TermKind::ALL.to_vec())
}

fn directions() -> impl Strategy<Value = Direction> {
    proptest::sample::select(vec![Direction::Forward, Direction::Backward])
}

/// Names in many scripts, and arbitrary texts.
fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,40}",
        "[\\p{Han}\\p{Cyrillic}\\p{Arabic}\\p{Greek}\\p{Latin} .,_/#?%'\\\\-]{0,300}",
        "[-._ a-zA-Z]{0,250}",
    ]
}

/// Valid keys with one character changed, removed or doubled, or cut short, and arbitrary texts.
fn hostile() -> impl Strategy<Value = String> {
    let near = (post_keys(), slugs(), 0..8usize, any::<prop::sample::Index>(), any::<char>(), 0..4u8).prop_map(
        |(key, slug, form, at, other, change)| {
            let text = [
                time::time_row(&key),
                time::mirror_row(&key),
                term::row(&slug, Direction::Backward),
                format!("s-{slug}"),
                format!("i-{}", key.id),
                format!("post-{}", key.id),
                format!("{}.{:019}-x", slug, key.at.ticks()),
                key.at.to_string(),
            ][form]
                .clone();
            let mut chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len());
            match change {
                0 => chars[at] = other,
                1 => drop(chars.remove(at)),
                2 => chars.insert(at, chars[at]),
                _ => chars.truncate(at),
            }
            chars.into_iter().collect()
        },
    );
    prop_oneof![any::<String>(), "[~!0-9a-z.-]{0,40}", near]
}

/// The limits of an Azure key: ASCII, no control characters, none of `/ \ # ? ' %`, at most 512 bytes.
fn assert_storable(key: &Key) {
    for part in [key.partition(), key.row()] {
        let forbidden = |c: char| !c.is_ascii() || c.is_ascii_control() || "/\\#?'%".contains(c);
        assert!(!part.contains(forbidden) && part.len() <= 512, "{key}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn time_and_mirror_rows_parse_back_and_no_row_is_both(key in post_keys()) {
        let (row, mirror) = (time::time_row(&key), time::mirror_row(&key));
        prop_assert_eq!(time::parse_time_row(&row), Some(key.clone()));
        prop_assert_eq!(time::parse_mirror_row(&mirror), Some(key));
        prop_assert_eq!((time::parse_mirror_row(&row), time::parse_time_row(&mirror)), (None, None));
    }

    #[test]
    fn time_rows_sort_like_posts_and_mirror_rows_in_reverse(a in post_keys(), b in post_keys()) {
        prop_assert_eq!(time::time_row(&a).cmp(&time::time_row(&b)), a.cmp(&b));
        prop_assert_eq!(time::mirror_row(&a).cmp(&time::mirror_row(&b)), b.cmp(&a));
        // Newest first, ties by id.
        prop_assert_eq!(a.cmp(&b), b.at.cmp(&a.at).then_with(|| a.id.as_str().cmp(b.id.as_str())));
    }

    #[test]
    fn next_and_previous_keys_are_adjacent(key in post_keys()) {
        if let Some(next) = key.next() {
            prop_assert!(next > key);
            prop_assert_eq!(next.previous(), Some(key.clone()));
        }
        if let Some(previous) = key.previous() {
            prop_assert!(previous < key);
            prop_assert_eq!(previous.next(), Some(key));
        }
    }

    #[test]
    fn term_rows_sort_by_slug_and_mirror_rows_in_reverse(a in slugs(), b in slugs()) {
        let mirror = |slug: &Slug| term::row(slug, Direction::Backward);
        prop_assert_eq!(mirror(&a).cmp(&mirror(&b)), b.cmp(&a));
        for direction in [Direction::Forward, Direction::Backward] {
            prop_assert_eq!(term::parse_row(&term::row(&a, direction)), Some((a.clone(), direction)));
        }
    }

    /// Both bounds are exclusive, and each is optional.
    #[test]
    fn a_term_range_contains_exactly_the_slugs_between_its_bounds(
        slug in slugs(), after in proptest::option::of(slugs()), before in proptest::option::of(slugs()), direction in directions(),
    ) {
        let range = term::rows(&term::partition(&slug), after.as_ref(), before.as_ref(), direction);
        let row = term::row(&slug, direction);
        let is_in = range.from().is_none_or(|from| *row >= *from) && range.to().is_none_or(|to| *row < *to);
        let is_between = after.is_none_or(|after| slug > after) && before.is_none_or(|before| slug < before);
        prop_assert_eq!(is_in, is_between);
    }

    #[test]
    fn cursors_decode_only_for_their_own_list(key in post_keys(), slug in slugs(), names in (names(), names())) {
        let (list, other) = (ListTag::of(&names.0), ListTag::of(&names.1));
        let (of_post, of_slug) = (cursor::encode_post(list, &key), cursor::encode(list, slug.as_str()));
        prop_assert_eq!(cursor::decode_post(list, &of_post), Ok(key));
        prop_assert_eq!(cursor::decode::<Slug>(list, &of_slug), Ok(slug));
        if names.0 != names.1 {
            prop_assert!(cursor::decode_post(other, &of_post).is_err());
            prop_assert!(cursor::decode::<Slug>(other, &of_slug).is_err());
        }
    }

    #[test]
    fn a_name_in_any_script_becomes_a_valid_slug(name in names()) {
        if let Some(slug) = Slug::from_name(&name) {
            prop_assert_eq!(slug.as_str().parse::<Slug>(), Ok(slug.clone()));
            prop_assert!(slug.as_str().len() <= SLUG_BYTES_MAX);
            prop_assert_eq!(Slug::from_name(slug.as_str()), Some(slug));
        }
    }

    #[test]
    fn a_slug_used_as_a_name_is_unchanged(slug in slugs()) {
        prop_assert_eq!(Slug::from_name(slug.as_str()), Some(slug));
    }

    #[test]
    fn a_numbered_slug_is_valid_and_distinct(slug in slugs(), n in 2u32.., m in 2u32..) {
        let numbered = slug.numbered(n);
        prop_assert_eq!(numbered.as_str().parse::<Slug>(), Ok(numbered.clone()));
        prop_assert_eq!(numbered == slug.numbered(m), n == m);
        prop_assert_ne!(numbered, slug);
    }

    #[test]
    fn every_key_can_be_stored(key in post_keys(), slug in slugs(), kind in kinds(), direction in directions()) {
        for collection in [Collection::Posts, Collection::Drafts] {
            let place = PostPlace { collection, key: key.clone() };
            assert_storable(&place.summary());
            assert_storable(&place.whole(&slug));
        }
        assert_storable(&place::month_row(Collection::Posts, key.month()));
        assert_storable(&place::month_row(Collection::Drafts, key.month()));
        assert_storable(&place::count(term::posts_partition(&slug)));
        assert_storable(&Key::new(term::posts_partition(&slug), time::row(&key, direction)).expect("a key"));
        assert_storable(&term::term(&slug));
        assert_storable(&Key::new(term::partition(&slug), term::row(&slug, direction)).expect("a key"));
        assert_storable(&lookup::by_id(&key.id));
        assert_storable(&lookup::by_slug(&slug));
        assert_storable(&history::change(&ChangeName::new("server1", key.at, "random")));
        prop_assert_eq!(kind.noun().parse::<Slug>().map(|slug| slug.to_string()), Ok(kind.noun().to_owned()));
    }

    #[test]
    fn lookups_and_ids_parse_back(id in post_ids(), slug in slugs(), kind in kinds(), bits in any::<u64>()) {
        let creation = CreationId::from_bits(bits);
        prop_assert_eq!(lookup::parse(&lookup::by_id(&id)), Some(Lookup::Id(id.clone())));
        prop_assert_eq!(lookup::parse(&lookup::by_slug(&slug)), Some(Lookup::Slug(slug.clone())));
        prop_assert_eq!(id.as_str().parse(), Ok(id.clone()));
        for node in [NodeId::Post(id), NodeId::Term(TermNodeId { key: TermId { kind, first_slug: slug }, creation })] {
            prop_assert_eq!(node.to_string().parse(), Ok(node));
        }
    }

    #[test]
    fn instants_months_and_changes_parse_back(at in instants(), server in "[a-z0-9]{1,20}", random in "[a-z0-9]{1,12}") {
        prop_assert_eq!(at.to_string().parse(), Ok(at));
        prop_assert_eq!(Instant::from_chrono(at.to_chrono()), Some(at));
        let month = at.month();
        prop_assert_eq!(month.to_string().parse(), Ok(month));
        prop_assert!(month.first() <= at && at <= month.last());
        prop_assert_eq!(history::parse_change(&history::change(&ChangeName::new(&server, at, &random))), Some(at));
    }

    /// A text that parses is the text that the server writes, so that each value has exactly one row key, id and name.
    #[test]
    fn a_hostile_text_parses_only_if_it_is_canonical(text in hostile()) {
        if let Some(key) = time::parse_time_row(&text) {
            prop_assert_eq!(time::time_row(&key), text.clone());
        }
        if let Some(key) = time::parse_mirror_row(&text) {
            prop_assert_eq!(time::mirror_row(&key), text.clone());
        }
        if let Some((slug, direction)) = term::parse_row(&text) {
            prop_assert_eq!(term::row(&slug, direction), text.clone());
        }
        if let Ok(id) = text.parse::<NodeId>() {
            prop_assert_eq!(id.to_string(), text.clone());
        }
        if let Ok(month) = text.parse::<Month>() {
            prop_assert_eq!(month.to_string(), text.clone());
        }
        if let Ok(at) = text.parse::<Instant>() {
            prop_assert_eq!(at.to_string().parse(), Ok(at));
        }
    }

    #[test]
    fn a_hostile_lookup_row_parses_only_in_its_own_bucket(partition in "[0-9a-f~!]{0,2}", row in hostile()) {
        let Ok(found) = Key::new(partition, row) else { return Ok(()) };
        let expected = match lookup::parse(&found) {
            Some(Lookup::Id(id)) => lookup::by_id(&id),
            Some(Lookup::Slug(slug)) => lookup::by_slug(&slug),
            Some(Lookup::End(..) | Lookup::Translation) | None => return Ok(()),
        };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_hostile_cursor_is_refused_or_canonical(text in hostile(), list in names()) {
        let list = ListTag::of(&list);
        let genuine = cursor::encode(list, "a");
        let head = URL_SAFE_NO_PAD.decode(genuine).expect("base64");
        let forged = [&head[..head.len() - 1], text.as_bytes()].concat();
        for text in [text.clone(), URL_SAFE_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(forged)] {
            if let Ok(key) = cursor::decode_post(list, &text) {
                prop_assert_eq!(cursor::encode_post(list, &key), text.clone());
            }
            if let Ok(slug) = cursor::decode::<Slug>(list, &text) {
                prop_assert_eq!(cursor::encode(list, slug.as_str()), text);
            }
        }
    }
}

/// Each list of a site has a tag of its own in its cursors.
#[test]
fn no_two_lists_share_cursors() {
    let key = PostKey { at: Instant::MIN, id: PostId::from_bits(1) };
    let mut names: Vec<String> = ["posts", "Categories", "Tags", "Authors"].map(str::to_owned).to_vec();
    names.extend((0..5_000).flat_map(|n| [format!("tag t{n}"), format!("author t{n}"), format!("category t{n}")]));
    let cursors: std::collections::HashSet<_> =
        names.iter().map(|name| cursor::encode_post(ListTag::of(name), &key)).collect();
    assert_eq!(cursors.len(), names.len());
}
