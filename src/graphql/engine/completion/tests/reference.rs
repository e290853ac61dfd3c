//! ExecuteSelectionSet() of the GraphQL specification for the toy schema, one field after the other. The rule: it follows the specification
//! and uses no code of the completion that it checks.

use std::collections::BTreeSet;

use async_graphql::parser::parse_query;
use async_graphql::parser::types::{BaseType, Directive, ExecutableDocument, Field, Selection, SelectionSet, Type};
use async_graphql::{Positioned, Value as Constant};
use async_graphql_value::Value as Literal;

pub struct Answer {
    pub data: String,
    /// The paths of failed fields, as JSON.
    pub failed: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Query,
    Fruit,
    Crate,
}

enum Resolved {
    Json(String),
    Null,
    Failed,
    Object(Kind, u32),
    List(Vec<Resolved>),
}

use Resolved::{Failed, Json, List, Null, Object};

pub fn execute(document: &str) -> Answer {
    let document = parse_query(document).expect("a document");
    let mut run = Run { document: &document, failed: BTreeSet::new() };
    let (_, operation) = document.operations.iter().next().expect("an operation");
    let data = run.object(&[&operation.node.selection_set.node], Kind::Query, 0, "");
    Answer { data: data.unwrap_or_else(|| "null".to_owned()), failed: run.failed }
}

struct Run<'a> {
    document: &'a ExecutableDocument,
    failed: BTreeSet<String>,
}

impl<'a> Run<'a> {
    /// `None` if the object must be null. Its other fields still run, as in the engine.
    fn object(&mut self, sets: &[&'a SelectionSet], kind: Kind, n: u32, path: &str) -> Option<String> {
        let mut keys: Vec<(&str, Vec<&Field>)> = Vec::new();
        sets.iter().for_each(|set| self.collect(set, kind, &mut keys));
        let mut fields = Vec::new();
        let mut is_kept = true;
        for (key, selected) in keys {
            let (of, resolved) = resolve(kind, n, selected[0]);
            let below: Vec<_> = selected.iter().map(|field| &field.selection_set.node).collect();
            let path = format!("{path},{key:?}");
            match self.complete(&Type::new(of).expect("a type"), resolved, &below, &path) {
                Some(value) => fields.push(format!("{key:?}:{value}")),
                None => is_kept = false,
            }
        }
        is_kept.then(|| format!("{{{}}}", fields.join(",")))
    }

    fn complete(&mut self, of: &Type, resolved: Resolved, below: &[&'a SelectionSet], path: &str) -> Option<String> {
        let value = match resolved {
            Json(text) => Some(text),
            Null => Some("null".to_owned()),
            Failed => {
                self.failed.insert(format!("[{}]", path.trim_start_matches(',')));
                None
            }
            Object(kind, n) => self.object(below, kind, n, path),
            List(items) => {
                let BaseType::List(item) = &of.base else { panic!("{of} is not a list") };
                let each = items.into_iter().enumerate();
                let values: Vec<_> =
                    each.map(|(index, value)| self.complete(item, value, below, &format!("{path},{index}"))).collect();
                let values: Option<Vec<_>> = values.into_iter().collect();
                values.map(|values| format!("[{}]", values.join(",")))
            }
        };
        value.or_else(|| of.nullable.then(|| "null".to_owned()))
    }

    fn collect(&self, set: &'a SelectionSet, kind: Kind, keys: &mut Vec<(&'a str, Vec<&'a Field>)>) {
        for selection in set.items.iter().filter(|selection| is_selected(selection.node.directives())) {
            let (on, set) = match &selection.node {
                Selection::Field(field) => {
                    let key = field.node.response_key().node.as_str();
                    match keys.iter_mut().find(|(other, _)| *other == key) {
                        Some((_, fields)) => fields.push(&field.node),
                        None => keys.push((key, vec![&field.node])),
                    }
                    continue;
                }
                Selection::InlineFragment(inline) => {
                    let on = inline.node.type_condition.as_ref().map(|on| on.node.on.node.as_str());
                    (on, &inline.node.selection_set.node)
                }
                Selection::FragmentSpread(spread) => {
                    let fragment = &self.document.fragments[&spread.node.fragment_name.node].node;
                    (Some(fragment.type_condition.node.on.node.as_str()), &fragment.selection_set.node)
                }
            };
            let applies = match on {
                None => true,
                Some("Thing") => kind != Kind::Query,
                Some(name) => name == name_of(kind),
            };
            if applies {
                self.collect(set, kind, keys);
            }
        }
    }
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Query => "Query",
        Kind::Fruit => "Fruit",
        Kind::Crate => "Crate",
    }
}

/// `$yes` and `$on` are true, `$no` and `$off` false.
fn is_selected(directives: &[Positioned<Directive>]) -> bool {
    directives.iter().all(|directive| {
        let value = match &directive.node.arguments[0].1.node {
            Literal::Boolean(value) => *value,
            Literal::Variable(name) => matches!(name.as_str(), "yes" | "on"),
            other => panic!("{other} is not a condition"),
        };
        value == (directive.node.name.node == "include")
    })
}

/// The type of a field and its value for the object with this number.
fn resolve(kind: Kind, n: u32, field: &Field) -> (&'static str, Resolved) {
    let json = |n: u32| Json(n.to_string());
    let label = |letter: &str| if n.is_multiple_of(3) { Null } else { Json(format!("\"{letter}{n}\"")) };
    let fail_every = |step: u32| if n.is_multiple_of(step) { Failed } else { json(n) };
    let given = |default: u32| match field.get_argument("n").map(|value| value.node.clone().into_const()) {
        Some(Some(Constant::Number(n))) => n.as_u64().and_then(|n| n.try_into().ok()).expect("a small number"),
        _ => default,
    };
    match (kind, field.name.node.as_str()) {
        (_, "__typename") => ("String!", Json(format!("{:?}", name_of(kind)))),
        (_, "id") => ("Int!", json(n)),
        (Kind::Query, "fruit") => ("Fruit!", Object(Kind::Fruit, given(7))),
        (Kind::Query, "crate") => ("Crate", Object(Kind::Crate, given(11))),
        (Kind::Query, "thing") => ("Thing", thing(given(0))),
        (Kind::Query, "found") => ("Found!", Object(Kind::Crate, 12)),
        (Kind::Query, "mayFail") => ("Int", Failed),
        (Kind::Query, "fails") => ("Int!", Failed),
        (Kind::Query, "list") => ("[Fruit!]!", List((0..given(3)).map(|n| Object(Kind::Fruit, n)).collect())),
        (Kind::Fruit, "label") => ("String", label("f")),
        (Kind::Crate, "label") => ("String", label("c")),
        (_, "sour") => ("Int", fail_every(2)),
        (Kind::Fruit, "ripe") => ("Int!", fail_every(5)),
        (Kind::Fruit, "inside") => ("Crate!", Object(Kind::Crate, n + 1)),
        (Kind::Fruit, "beside") => ("Thing", thing(n + 3)),
        (Kind::Crate, "fruits") => ("[Fruit!]!", List((n..n + n % 4).map(|n| Object(Kind::Fruit, n)).collect())),
        (Kind::Crate, "things") if n.is_multiple_of(7) => ("[Thing]!", Failed),
        (Kind::Crate, "things") => {
            ("[Thing]!", List((n * 2..n * 2 + 3).map(|n| if n % 6 == 0 { Null } else { thing(n) }).collect()))
        }
        (Kind::Crate, "maybe") if n.is_multiple_of(9) => ("[Thing!]", Failed),
        (Kind::Crate, "maybe") => ("[Thing!]", List((n..n + 4).filter(|n| *n > 0).map(thing).collect())),
        (Kind::Crate, "found") => ("Found!", Object(if n / 2 % 2 == 1 { Kind::Fruit } else { Kind::Crate }, n / 2)),
        (Kind::Crate, "sizes") => ("[Int!]!", List(vec![json(1), json(n)])),
        (kind, name) => panic!("{} has no field {name}", name_of(kind)),
    }
}

fn thing(n: u32) -> Resolved {
    match n {
        0 => Null,
        n => Object(if n % 2 == 1 { Kind::Fruit } else { Kind::Crate }, n),
    }
}
