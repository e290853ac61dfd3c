//! Tests which documents are found, and in which order. The rule: each case is a text as a person types it.

use super::*;
use crate::Document;

fn document(key: u64, language: &str, title: &str, text: &str) -> Document {
    let labels = vec![format!("language/{language}"), format!("parity/{}", key % 2)];
    let (title, text) = (title.to_owned(), text.to_owned());
    Document {
        key,
        order: i64::try_from(key).expect("small"),
        language: Some(language.to_owned()),
        title,
        text,
        labels,
        ..Document::default()
    }
}

fn index_of(documents: &[Document]) -> Index {
    let index = Index::in_memory().expect("an index");
    index.update(documents, &[]).expect("it is updated");
    index
}

fn find(index: &Index, text: &str) -> Vec<u64> {
    find_with(index, text, &[])
}

fn find_with(index: &Index, text: &str, conditions: &[Condition]) -> Vec<u64> {
    let query = Query::parse(text).expect("a query");
    let page = Page { first: 10, conditions, ..Page::default() };
    let view = View::of(&[index]).expect("a view");
    view.find(&query, &page).expect("it is found").hits.iter().map(|hit| hit.key).collect()
}

#[test]
fn word_forms_of_each_language_are_found_and_not_those_of_another() {
    let cases = [
        ("en", "The runner was running quickly", "run", "sprint"),
        ("de", "Die Häuser der Städte", "haus stadt", "dorf"),
        ("fr", "Les chevaux mangeaient", "cheval mangeait", "vache"),
        ("es", "Las canciones cantadas", "cancion cantada", "baile"),
        ("it", "Le canzoni cantate", "canzone cantato", "ballo"),
        ("pt-BR", "As casas pintadas", "casa pintado", "rua"),
        ("nl", "De huizen en boeken", "boek", "fiets"),
        ("ru", "Красивые книги читали", "книга красивый", "дом"),
        ("sv", "Bilarna och husen", "bil hus", "båt"),
        ("tr", "Kitapları okudum", "kitap", "ev"),
        ("pl", "Żółta łódź", "zolta lodz", "rower"),
        ("ja", "鏡の洗い方を学ぶ", "洗い方", "自転車"),
        ("zh", "如何清洗镜子", "清洗镜子", "汽车"),
        ("ko", "거울을 닦는 방법", "거울", "자동차"),
        ("th", "วิธีทำความสะอาดกระจก", "กระจก", "รถยนต์"),
        ("ar", "كيفية تنظيف المرآة", "تنظيف", "سيارة"),
        ("hi", "दर्पण कैसे धोएं", "दर्पण", "गाड़ी"),
    ];
    let documents: Vec<Document> =
        (1..).zip(&cases).map(|(key, (language, text, _, _))| document(key, language, text, "")).collect();
    let index = index_of(&documents);
    for (key, (language, text, found, absent)) in (1..).zip(&cases) {
        assert_eq!(find(&index, &format!("{found} ")), [key], "{language}: {found} in {text}");
        assert_eq!(find(&index, &format!("{absent} ")), [0; 0], "{language}: {absent}");
    }
}

#[test]
fn typos_phrases_exclusions_and_unfinished_words() {
    let index = index_of(&[
        document(1, "en", "How to wash a mirror", "Use warm water and a soft cloth."),
        document(2, "en", "Water the garden", "A mirror in the garden; wash your hands."),
        document(3, "en", "Encyclopaedia of gardens", "Übersetzung, naïve café"),
    ]);
    let cases: [(&str, &[u64]); 19] = [
        ("mirror", &[1, 2]),
        ("mirro", &[1, 2]),
        ("mirrro ", &[1, 2]),
        ("miror wash", &[1, 2]),
        ("gardn ", &[2, 3]),
        // Four letters have no typos, five have one, nine have two.
        ("wsah ", &[]),
        ("encyclopedia ", &[3]),
        ("encyclopdia ", &[3]),
        ("\"wash a mirror\"", &[1]),
        ("\"wash mirror\"", &[]),
        ("\"gardn\"", &[]),
        ("mirror -garden", &[1]),
        ("-mirror", &[]),
        ("cafe", &[3]),
        ("UBERSETZUNG ", &[3]),
        ("soft mirror ", &[1, 2]),
        ("zebra mirror ", &[1, 2]),
        ("garde", &[2, 3]),
        ("g", &[2, 3]),
    ];
    for (text, expected) in cases {
        let mut found = find(&index, text);
        if !matches!(text, "soft mirror ") {
            found.sort_unstable();
        }
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_title_comes_before_a_text_and_of_equal_ones_the_newest() {
    let mut documents = vec![document(1, "en", "Mirrors", "a"), document(9, "en", "Other", "mirrors are here")];
    documents.extend((2..6).map(|key| document(key, "en", "Same", "equal words")));
    let index = index_of(&documents);
    assert_eq!(find(&index, "mirrors "), [1, 9]);
    assert_eq!(find(&index, "equal "), [5, 4, 3, 2]);
}

#[test]
fn pages_have_each_document_once_in_the_order_of_one_large_page() {
    let text = |key: u64| {
        format!("common {} {}", "common ".repeat(key as usize % 7), if key.is_multiple_of(3) { "rare" } else { "" })
    };
    let documents: Vec<Document> = (1..200).map(|key| document(key, "en", "x", &text(key))).collect();
    let index = index_of(&documents);
    let view = View::of(&[&index]).expect("a view");
    let query = Query::parse("common rare ").expect("a query");
    let all = view.find(&query, &Page { first: 500, ..Page::default() }).expect("found");
    assert_eq!((all.hits.len(), all.has_next), (199, false));
    assert_eq!(all.hits.iter().filter(|hit| hit.place.has_all_words).count(), 66);
    let (mut keys, mut after) = (Vec::new(), None);
    loop {
        let page = view.find(&query, &Page { first: 17, after, ..Page::default() }).expect("found");
        keys.extend(page.hits.iter().map(|hit| hit.key));
        after = page.hits.last().map(|hit| hit.place);
        if !page.has_next {
            break;
        }
    }
    assert_eq!(keys, all.hits.iter().map(|hit| hit.key).collect::<Vec<_>>());
}

#[test]
fn conditions_hold_and_change_no_score() {
    let documents: Vec<Document> = (1..9).map(|key| document(key, "en", "Same", "words")).collect();
    let index = index_of(&documents);
    let odd = || vec!["parity/1".to_owned()];
    let cases: [(Condition, &[u64]); 6] = [
        (Condition::All(odd()), &[7, 5, 3, 1]),
        (Condition::All(vec!["parity/1".into(), "parity/0".into()]), &[]),
        (Condition::Any(odd()), &[7, 5, 3, 1]),
        (Condition::Any(Vec::new()), &[]),
        (Condition::None(odd()), &[8, 6, 4, 2]),
        (Condition::Between(Some(2), Some(5)), &[4, 3]),
    ];
    for (condition, expected) in cases {
        assert_eq!(find_with(&index, "words ", std::slice::from_ref(&condition)), expected, "{condition:?}");
    }
}

#[test]
fn changes_are_found_at_once_and_indexes_are_ranked_as_one() {
    let index = index_of(&[document(1, "en", "First", "alpha")]);
    index
        .update(&[document(1, "en", "First", "beta"), document(2, "en", "Second", "beta beta")], &[])
        .expect("updated");
    assert_eq!(find(&index, "alpha "), [0; 0]);
    let other = index_of(&[document(3, "en", "Beta", "beta")]);
    let view = View::of(&[&index, &other]).expect("a view");
    let query = Query::parse("beta ").expect("a query");
    let found = view.find(&query, &Page { first: 10, ..Page::default() }).expect("found");
    assert_eq!(found.hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [3, 2, 1]);
    let words = |index: &Index| View::of(&[index]).expect("a view").continuations("b", 5).expect("read");
    assert_eq!(words(&index), ["beta"]);
    index.update(&[], &[1, 2]).expect("updated");
    assert_eq!(words(&index), [""; 0], "the words of what was removed are not proposed");
    assert_eq!((find(&index, "beta "), index.documents()), (Vec::new(), 0));
}

#[test]
fn a_folder_is_opened_again_and_a_damaged_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = Index::open(folder.path()).expect("an index");
    let documents = [document(1, "en", "First", "alpha"), document(2, "en", "Second", "beta")];
    index.update(&documents, &[]).expect("updated");
    drop(index);
    let index = Index::open(folder.path()).expect("it is opened again");
    assert_eq!(find(&index, "beta "), [2]);
    assert_eq!(index.digests().expect("read").get(&1), Some(&documents[0].digest()));
    assert_eq!(index.labelled("parity/0").expect("read"), [2]);
    drop(index);
    let of_words = |entry: &std::fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "term");
    let words = std::fs::read_dir(folder.path()).expect("a folder").flatten().find(of_words).expect("a file");
    let mut bytes = std::fs::read(words.path()).expect("read");
    bytes[10] ^= 1;
    std::fs::remove_file(words.path()).expect("removed");
    std::fs::write(words.path(), bytes).expect("written");
    assert!(matches!(Index::open(folder.path()), Err(IndexError::Damaged(1))));
}

#[test]
fn suggestions_and_continuations_are_words_as_they_are_written() {
    let index = index_of(&[
        document(1, "de", "Übersetzung der Bücher", "Übersetzung"),
        document(2, "en", "How to wash a mirror", "mirrors and mirages"),
    ]);
    let view = View::of(&[&index]).expect("a view");
    let suggestion = |text: &str| view.suggestion(&Query::parse(text).expect("a query")).expect("read");
    assert_eq!(suggestion("wash a miror!").as_deref(), Some("wash a mirror!"));
    assert_eq!(suggestion("ubersetzunk ").as_deref(), Some("übersetzung "));
    assert_eq!((suggestion("mirr"), suggestion("mirror"), suggestion("zzzzzz ")), (None, None, None));
    let continued = |text: &str| view.continuations(text, 3).expect("read");
    assert_eq!(continued("how to mi"), ["how to mirror", "how to mirages", "how to mirrors"]);
    assert_eq!((continued("bu"), continued("wash "), continued("")), (vec!["bücher".to_owned()], vec![], vec![]));
}

#[test]
fn similar_documents_share_labels_and_rare_words() {
    let labels = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    let documents = [
        Document { key: 1, labels: labels(&["tag/a", "tag/b"]), ..document(1, "en", "Mirrors", "glass") },
        Document { key: 2, labels: labels(&["tag/a", "tag/b"]), ..document(2, "en", "Lamps", "light") },
        Document { key: 3, labels: labels(&["tag/a"]), ..document(3, "en", "Windows", "glass") },
        Document { key: 4, labels: labels(&["tag/c"]), ..document(4, "en", "Bikes", "wheels") },
    ];
    let index = index_of(&documents);
    let view = View::of(&[&index]).expect("a view");
    let similar = view.similar(("Mirrors glass", &documents[0].labels), 1, 5, &[]).expect("found");
    assert_eq!(similar.iter().map(|hit| hit.key).collect::<Vec<_>>(), [2, 3]);
}
