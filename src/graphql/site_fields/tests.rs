//! Tests of files of declared fields: their declarations and refusals. The rule: hostile text is an error with its position, never a panic.

use async_graphql::parser::parse_schema;
use proptest::prelude::*;

use crate::graphql::schema;
use crate::model::site_fields::{DeclaredItems, DeclaredType};

const BOOKS: &str = r#"
extend type PostFields {
  "A second title."
  subtitle: String
  rating: Int! @deprecated(reason: "Use stars.")
  formats: [Format!]
  publisher: Publisher
}
enum Format { "On paper." PAPER AUDIO @deprecated }
"Who has made it."
type Publisher { name: String!, url: URL, imprints: [Publisher2] }
type Publisher2 { name: ID! }
extend type PostFields { at: DateTime, more: JSON, price: Float, sold: Boolean }
"#;

#[test]
fn a_file_declares_types_fields_and_descriptions() {
    let fields = schema::site_fields(BOOKS).expect("fields");
    assert!(fields.of_pages.is_none());
    let posts = fields.of_posts.expect("fields of posts");
    let types: Vec<String> =
        posts.fields.iter().map(|field| format!("{}: {}", field.name, field.type_text())).collect();
    let expected = [
        "subtitle: String",
        "rating: Int!",
        "formats: [Format!]",
        "publisher: Publisher",
        "at: DateTime",
        "more: JSON",
        "price: Float",
        "sold: Boolean",
    ];
    assert_eq!(types, expected);
    assert_eq!(posts.fields[0].description.as_deref(), Some("A second title."));
    assert_eq!(posts.fields[1].deprecation.as_deref(), Some("Use stars."));
    assert_eq!(posts.fields[2].items, Some(DeclaredItems::Required));
    let DeclaredType::Enum(format) = &posts.fields[2].of else { panic!("an enum") };
    let values: Vec<_> =
        format.values.iter().map(|v| (v.name.as_str(), v.description.as_deref(), v.deprecation.as_deref())).collect();
    assert_eq!(values, [("PAPER", Some("On paper."), None), ("AUDIO", None, Some("No longer supported"))]);
    let DeclaredType::Object(publisher) = &posts.fields[3].of else { panic!("an object") };
    assert_eq!(publisher.description.as_deref(), Some("Who has made it."));
    assert_eq!(publisher.fields[2].type_text(), "[Publisher2]");
}

/// A file, and a part of the expected error.
const FAULTS: &[(&str, &str)] = &[
    ("", "the file is empty; declare fields with `extend type PostFields { … }`"),
    ("# nothing\n", "line 2, column 1: Syntax error: found the end of the document, expected a type or an enum."),
    ("extend type PostFields {", "Syntax error"),
    ("extend type PostFields { a: \"", "line 1, column 29: Syntax error: this string does not end."),
    ("type A { a: Int }", "the file declares no field; declare some with"),
    ("query { a }", "Syntax error"),
    (
        "extend type PostFields { a: Integer }",
        "line 1, column 29: PostFields.a: Integer is not a type that a field can have: String, Int,",
    ),
    ("extend type PostFields { a: Post }", "line 1, column 29: PostFields.a: Post is not a type that a field can have"),
    ("extend type PostFields { a: PostFields }", "PostFields.a: PostFields is not a type that a field can have"),
    ("extend type PostFields { a: [[Int]] }", "line 1, column 29: PostFields.a: lists of lists are not supported"),
    ("extend type PostFields { a(b: Int): Int }", "PostFields.a: a declared field has no arguments"),
    (
        "extend type PostFields { __a: Int }",
        "line 1, column 26: PostFields.__a: names that begin with __ are those of introspection",
    ),
    ("extend type PostFields { a: Int, a: Int }", "line 1, column 34: PostFields.a: the field is declared twice"),
    (
        "extend type PostFields { a: Float @index }",
        "line 1, column 35: PostFields.a: Float cannot have @index, only String, Int, Boolean, ID and enums; remove @index",
    ),
    ("extend type PostFields { a: DateTime @index }", "PostFields.a: DateTime cannot have @index"),
    ("extend type PostFields { a: A @index } type A { b: Int }", "PostFields.a: A cannot have @index"),
    (
        "extend type PostFields { a: [Int!] @index }",
        "PostFields.a: a list cannot have @index, only a field with a single",
    ),
    ("extend type PostFields { a: Int @index(by: 1) }", "PostFields.a: @index has no arguments; remove them"),
    (
        "extend type PageFields { a: Int @index }",
        "PageFields.a: only the fields of `extend type PostFields` can have @index; remove it",
    ),
    (
        "extend type PostFields { a: A } type A { b: Int @index }",
        "A.b: only the fields of `extend type PostFields` can have @index; remove it",
    ),
    (
        "extend type PostFields { a: A } enum A { B @index }",
        "A.B: only the fields of `extend type PostFields` can have @index; remove it",
    ),
    ("enum PostFieldsFilter { A }", "PostFieldsFilter: the schema of the server has a type of this name"),
    ("extend type PostFields { a: Int @unique }", "PostFields.a: @unique is unknown"),
    ("extend type PostFields @a { a: Int }", "PostFields: a type has no directives here; remove @a"),
    (
        "type PostFields { a: Int }",
        "line 1, column 6: PostFields: the server has this type; write `extend type PostFields { … }`",
    ),
    ("enum PageFields { A }", "PageFields: the server has this type; write `extend type PageFields { … }`"),
    (
        "extend type Post { a: Int }",
        "Post: only PostFields and PageFields can be extended; they are the type of `Post.fields`",
    ),
    (
        "extend type Mine { a: Int }",
        "Mine: only PostFields and PageFields are extended; declare a type of your own without `extend`",
    ),
    ("extend enum Mine { A }", "Mine: only PostFields and PageFields are extended"),
    ("schema { query: Q }", "line 1, column 1: a file of fields has `extend type PostFields`"),
    ("directive @a on FIELD", "a file of fields has `extend type PostFields`"),
    ("scalar Date", "Date: a file of fields has `extend type PostFields`"),
    ("interface A { a: Int }", "A: a file of fields has"),
    ("union A = B", "A: a file of fields has"),
    ("input A { a: Int }", "A: a file of fields has"),
    ("type A implements B { a: Int }", "A: a declared type implements no interface"),
    ("type __A { a: Int }", "__A: names that begin with __"),
    ("type A { a: Int } enum A { B }", "line 1, column 24: A: the file declares this name twice"),
    ("type Tag { a: Int }", "Tag: the schema of the server has a type of this name; choose another"),
    ("type UserErrorCode { a: Int }", "UserErrorCode: the schema of the server has a type of this name"),
    ("enum Float { A }", "Float: the schema of the server has a type of this name"),
    ("type PostFieldsInput { a: Int }", "PostFieldsInput: the schema of the server has a type of this name"),
    (
        "type CreatePost { a: Int }",
        "CreatePost: its input would be CreatePostInput, and the schema of the server has a type of this name",
    ),
    (
        "type A { a: Int } type AInput { a: Int }",
        "AInput: the input of a type has the word Input after its name, so this name and A",
    ),
    (
        "type AInput { a: Int } type A { a: Int }",
        "A: the input of a type has the word Input after its name, so this name and AInput",
    ),
    (
        "extend type PostFields { a: A } type A { b: B } type B { a: [A!] }",
        "line 1, column 61: B.a: A would contain itself (A → B → A); remove this field",
    ),
    ("extend type PostFields { a: A } type A", "A: the type has no fields"),
    ("extend type PostFields { a: A } enum A", "A: the enum has no values"),
    ("extend type PostFields { a: A } enum A { B B }", "line 1, column 44: A.B: the value is declared twice"),
    ("extend type PostFields { a: A } enum A { __B }", "A.__B: names that begin with __"),
    ("extend type PostFields { a: Int } type Unused { a: Int }", "line 1, column 40: Unused: no field has this type"),
];

#[test]
fn a_fault_has_its_position_and_says_what_to_do() {
    for (text, expected) in FAULTS {
        let refused = schema::site_fields(text).expect_err(text).to_string();
        assert!(refused.contains(expected), "{text}\n{refused}\n{expected}");
        assert!(!refused.contains('\n') && refused.chars().count() < 400, "{refused}");
    }
}

#[test]
fn what_exceeds_a_bound_is_refused_with_the_bound() {
    let fields = |count: usize| (0..count).map(|n| format!("f{n}: Int ")).collect::<String>();
    let chain = |depth: usize| {
        let inner = (1..depth).map(|n| format!("type T{n} {{ a: T{} }} ", n + 1)).collect::<String>();
        format!("extend type PostFields {{ a: T1 }} {inner} type T{depth} {{ a: Int }}")
    };
    let values = (0..400).map(|n| format!("V{n} ")).collect::<String>();
    for (text, expected) in [
        (
            format!("extend type PostFields {{ {} }}", fields(501)),
            "the file declares 501 fields and values of enums; at most 500",
        ),
        (
            format!("extend type PostFields {{ {} }}", fields(9).replace("Int", "Int @index")),
            "PostFields: 9 fields have @index; at most 8 are allowed",
        ),
        (
            format!("extend type PostFields {{ {} }} type T {{ {} }} enum E {{ {values} }}", fields(60), fields(41)),
            "the file declares 501 fields and values of enums; at most 500",
        ),
        (chain(6), "T1: 6 objects would be inside each other; at most 5 are allowed"),
        ("[".repeat(20_000), "brackets open at once"),
        (format!("extend type PostFields {{ a: {}Int", "[".repeat(5_000)), "brackets open at once"),
        ("@a ".repeat(3_000), "directives"),
        ("a ".repeat(21_000), "tokens"),
        (" # long\n".repeat(20_000), "bytes"),
    ] {
        let refused = schema::site_fields(&text).expect_err(expected).to_string();
        assert!(refused.contains(expected), "{refused}\n{expected}");
    }
    for text in [format!("extend type PostFields {{ {} }}", fields(500)), chain(5)] {
        assert!(schema::site_fields(&text).is_ok(), "{:?}", schema::site_fields(&text));
    }
}

/// A definition in the schema with these fields.
fn served(sdl: &str, definition: &str) -> String {
    let printed = schema::sdl(&schema::build_with(&schema::site_fields(sdl).expect("fields")));
    parse_schema(&printed).expect("the printed schema is SDL");
    let start = printed.find(&format!("\n{definition} {{\n")).unwrap_or_else(|| panic!("{definition}\n{printed}")) + 1;
    let end = printed[start..].find("\n}\n").expect("its end");
    printed[start..start + end + 2].to_owned()
}

#[test]
fn the_schema_has_the_declared_types_and_none_without_a_declaration() {
    assert_eq!(
        served(BOOKS, "type PostFields"),
        "type PostFields {\n\t\"\"\"\n\tA second title.\n\t\"\"\"\n\tsubtitle: String\n\trating: Int @deprecated(reason: \"Use stars.\")\n\tformats: [Format!]\n\tpublisher: Publisher\n\tat: DateTime\n\tmore: JSON\n\tprice: Float\n\tsold: Boolean\n}"
    );
    assert_eq!(
        served(BOOKS, "type Publisher"),
        "type Publisher {\n\tname: String!\n\turl: URL\n\timprints: [Publisher2]\n}"
    );
    assert_eq!(
        served(BOOKS, "input PublisherInput"),
        "input PublisherInput {\n\tname: String!\n\turl: String\n\timprints: [Publisher2Input]\n}"
    );
    let input = served(BOOKS, "input PostFieldsInput");
    assert!(
        input.contains("\n\tRequired: after a change, it must have a value.\n") && input.contains("\n\trating: Int\n"),
        "{input}"
    );
    let pages = "extend type PageFields { wide: Boolean }";
    let of_pages = schema::sdl(&schema::build_with(&schema::site_fields(pages).expect("fields")));
    assert!(of_pages.contains("\tfields: PageFields\n") && !of_pages.contains("PostFields"), "{of_pages}");
    let without = schema::sdl(&schema::build());
    assert!(!without.contains("PostFields") && !without.contains("PageFields"));
    assert_eq!(without, include_str!("../../../schema.graphql"), "a schema that was built before has no effect");
}

#[test]
fn the_filter_of_posts_has_the_fields_with_an_index_and_no_others() {
    const INDEXED: &str = r#"
        extend type PostFields { "From 1 to 10." rating: Int! @index, kind: Kind @index @deprecated, more: String }
        enum Kind { ESSAY REVIEW }
    "#;
    let filter = served(INDEXED, "input PostFieldsFilter");
    for field in
        ["\n\tFrom 1 to 10.\n\tOnly posts with one of these values.", "\n\trating: [Int!]\n", "\n\tkind: [Kind!]\n"]
    {
        assert!(filter.contains(field), "{field:?} {filter}");
    }
    assert!(!filter.contains("more"), "{filter}");
    assert!(served(INDEXED, "input PostFilter").contains("\n\tfields: PostFieldsFilter\n"));
    for without in [BOOKS, "extend type PageFields { wide: Boolean }"] {
        let printed = schema::sdl(&schema::build_with(&schema::site_fields(without).expect("fields")));
        assert!(!printed.contains("PostFieldsFilter"));
    }
    assert!(!schema::sdl(&schema::build()).contains("PostFieldsFilter"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(parts in prop::collection::vec(
        prop::sample::select(vec![
            "extend", " type ", "PostFields", "PageFields", " {", "} ", " a", ": ", "Int", "!", "[", "]", " enum ", "A", "B ", "\"", "\"\"\"", "@index",
            "@deprecated", "(reason: \"x\")", " implements ", "&", "|", "=", "#", "\n", "__x", "String", "(", ")", "é", "\u{0}", "$", "union ", "input ",
        ]),
        0..40,
    )) {
        let text = parts.concat();
        if let Ok(fields) = schema::site_fields(&text) {
            prop_assert!(!fields.is_empty());
            prop_assert!(parse_schema(schema::sdl(&schema::build_with(&fields))).is_ok());
        }
    }
}
