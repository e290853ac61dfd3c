//! Where the engine, `async-graphql`, differs from the GraphQL specification: for each difference the smallest document that shows it, as an issue upstream needs it.
//! The rule: the engine is asked alone, without the parts of `src/graphql/engine` that repair it; a case that fails after an update names the part that may go.

use async_graphql::{
    EmptyMutation, EmptySubscription, Enum, InputObject, Interface, MaybeUndefined, Object, Request, Schema, Variables,
};

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
enum Size {
    Small,
    Large,
}

#[derive(InputObject)]
struct Given {
    size: Option<Size>,
    text: Option<String>,
}

struct Leaf;

#[Object]
impl Leaf {
    async fn bad(&self) -> async_graphql::Result<Option<i32>> {
        Err("bad".into())
    }
}

#[derive(Interface)]
#[graphql(field(name = "bad", ty = "async_graphql::Result<Option<i32>>"))]
enum Node {
    Leaf(Leaf),
}

struct Root;

#[Object]
impl Root {
    async fn slow(&self) -> i32 {
        tokio::task::yield_now().await;
        1
    }

    async fn fast(&self) -> i32 {
        2
    }

    async fn bad(&self) -> async_graphql::Result<Option<i32>> {
        Err("bad".into())
    }

    async fn leaf(&self) -> Leaf {
        Leaf
    }

    async fn node(&self) -> Node {
        Leaf.into()
    }

    async fn number(&self, n: Option<i32>) -> i32 {
        n.unwrap_or_default()
    }

    async fn text(&self, text: MaybeUndefined<String>) -> &'static str {
        match text {
            MaybeUndefined::Undefined => "omitted",
            MaybeUndefined::Null => "null",
            MaybeUndefined::Value(_) => "a value",
        }
    }

    async fn given(&self, given: Given) -> String {
        let size = given.size.map_or("none", |size| if size == Size::Small { "small" } else { "large" });
        format!("{size} {}", given.text.unwrap_or_default())
    }
}

struct Difference {
    /// The part of `src/graphql/engine`, or the file of `src/graphql`, that repairs it.
    part: &'static str,
    /// The issues of async-graphql/async-graphql about it; empty if none was found.
    issues: &'static [u32],
    document: &'static str,
    /// JSON.
    variables: &'static str,
    /// What the engine answers: the data, and the path of each error.
    answer: &'static str,
    /// What the specification requires.
    required: &'static str,
}

const fn of(
    part: &'static str,
    issues: &'static [u32],
    document: &'static str,
    variables: &'static str,
    answer: &'static str,
    required: &'static str,
) -> Difference {
    Difference { part, issues, document, variables, answer, required }
}

const DIFFERENCES: &[Difference] = &[
    of("completion", &[612], "{ slow fast }", "{}", r#"{"fast":2,"slow":1} []"#, "slow first"),
    of("completion", &[], "{ fast bad }", "{}", r#"{"fast":2} [["bad"]]"#, r#""bad": null in the data"#),
    of(
        "completion",
        &[],
        "{ leaf { bad } }",
        "{}",
        r#"{"leaf":null} [["leaf","bad"]]"#,
        r#"an object, in which "bad" is null"#,
    ),
    of("interface_value", &[], "{ node { bad } }", "{}", r#"{"node":null} [[]]"#, "the path of the field"),
    of(
        "rules",
        &[],
        "{ x: fast ...F } fragment F on Root { x: slow }",
        "{}",
        r#"{"x":2} []"#,
        "an error: the fields cannot be merged",
    ),
    of("rules", &[], "query($a: String) { number(n: $a) }", "{}", r#"{"number":0} []"#, "an error: a String is no Int"),
    of(
        "rules",
        &[],
        r#"{ given(given: { size: "SMALL" }) }"#,
        "{}",
        r#"{"given":"small "} []"#,
        "an error: a text is no value of an enumeration",
    ),
    of(
        "rules",
        &[],
        r#"{ given(given: { text: "a", text: "b" }) }"#,
        "{}",
        r#"{"given":"none b"} []"#,
        "an error: a field is given twice",
    ),
    of(
        "rules",
        &[],
        "query($n: Int @include(if: true)) { number(n: $n) }",
        r#"{ "n": 3 }"#,
        r#"{"number":3} []"#,
        "an error: the directive is not for variables",
    ),
    of(
        "rules",
        &[],
        "query($n: Int) { fast number(n: $n) }",
        r#"{ "n": 2147483648 }"#,
        r#"{"fast":2} [["number"]]"#,
        "an error before anything runs",
    ),
    of("unsent", &[], "query($t: String) { text(text: $t) }", "{}", r#"{"text":"null"} []"#, "omitted"),
];

#[tokio::test]
async fn each_difference_of_the_engine_from_the_specification_is_still_there() {
    let schema = Schema::new(Root, EmptyMutation, EmptySubscription);
    let mut gone = Vec::new();
    for Difference { part, issues, document, variables, answer, required } in DIFFERENCES {
        let variables = serde_json::from_str(variables).expect("JSON");
        let request = Request::new(*document).variables(Variables::from_json(variables));
        let response = schema.execute(request).await;
        let data = serde_json::to_string(&response.data).expect("JSON");
        let paths: Vec<_> = response.errors.iter().map(|error| &error.path).collect();
        let found = format!("{data} {}", serde_json::to_string(&paths).expect("JSON"));
        if found != *answer {
            gone.push(format!(
                "{part} {issues:?}: {document} gives {found}; it gave {answer}, required is: {required}"
            ));
        }
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
}
