//! JSON Schema of what GraphQL takes: the variables of an operation, and the fields of an input object. The rule: it is read from the SDL, whose
//! descriptions it repeats; GraphQL decides about each value. Null is shown only where it says more than absence: in what a mutation takes.

use std::collections::HashMap;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, InputValueDefinition, OperationType, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Name, Positioned};
use async_graphql_value::Value as Literal;
use serde_json::{Map, Value, json};

use crate::graphql::outline::{Operation, Outline, SelectionKind};

/// Input objects inside each other that are described; what is deeper is any value.
const DEPTH_MAX: usize = 6;

pub(super) struct Types(HashMap<Name, TypeDefinition>);

impl Types {
    pub(super) fn of(sdl: &str) -> Self {
        let parsed = parse_schema(sdl).map(|document| document.definitions).unwrap_or_default();
        let named = parsed.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(of) if !of.node.extend => Some((of.node.name.node.clone(), of.node)),
            _ => None,
        });
        Self(named.collect())
    }

    /// The variables of an operation. One that is an argument of a field at the root has its description.
    pub(super) fn of_variables(&self, outline: &Outline, operation: &Operation) -> Map<String, Value> {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for definition in &operation.variables {
            let name = &definition.node.name.node;
            let of = &definition.node.var_type.node;
            let mut schema = self.of_type(of, 0, operation.kind == OperationType::Mutation);
            if let Some(description) = self.description(outline, operation, name) {
                schema["description"] = json!(description);
            }
            match &definition.node.default_value {
                Some(default) => schema["default"] = default.node.clone().into_json().unwrap_or_default(),
                None if !of.nullable => required.push(name.to_string()),
                None => {}
            }
            properties.insert(name.to_string(), schema);
        }
        object(properties, required)
    }

    /// The fields of an input object without some of them.
    pub(super) fn of_fields(&self, input: &str, without: &[&str]) -> Map<String, Value> {
        match self.0.get(input).map(|of| &of.kind) {
            Some(TypeKind::InputObject(of)) => {
                let fields = of.fields.iter().filter(|field| !without.contains(&field.node.name.node.as_str()));
                self.of_inputs(fields, 0, true)
            }
            _ => object(Map::new(), Vec::new()),
        }
    }

    pub(super) fn of_named(&self, name: &str) -> Value {
        self.named(name, 0, false)
    }

    fn of_inputs<'a>(
        &self,
        fields: impl Iterator<Item = &'a Positioned<InputValueDefinition>>,
        depth: usize,
        with_null: bool,
    ) -> Map<String, Value> {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for InputValueDefinition { name, ty, description, default_value, .. } in fields.map(|field| &field.node) {
            let mut schema = self.of_type(&ty.node, depth, with_null);
            if let Some(description) = description {
                schema["description"] = json!(one_line(&description.node));
            }
            match (ty.node.nullable, default_value) {
                (true, _) if with_null => allow_null(&mut schema),
                (false, None) => required.push(name.node.to_string()),
                (true, _) | (false, Some(_)) => {}
            }
            properties.insert(name.node.to_string(), schema);
        }
        object(properties, required)
    }

    fn of_type(&self, of: &Type, depth: usize, with_null: bool) -> Value {
        match &of.base {
            BaseType::List(items) => json!({ "type": "array", "items": self.of_type(items, depth, with_null) }),
            BaseType::Named(name) => self.named(name, depth, with_null),
        }
    }

    fn named(&self, name: &str, depth: usize, with_null: bool) -> Value {
        match name {
            "Boolean" => return json!({ "type": "boolean" }),
            "Int" => return json!({ "type": "integer" }),
            "Float" => return json!({ "type": "number" }),
            "String" | "ID" => return json!({ "type": "string" }),
            "JSON" => return json!({ "type": "object" }),
            "DateTime" => return json!({ "type": "string", "format": "date-time" }),
            _ => {}
        }
        match self.0.get(name).map(|of| &of.kind) {
            Some(TypeKind::Enum(of)) => {
                let values: Vec<&str> = of.values.iter().map(|value| value.node.value.node.as_str()).collect();
                json!({ "type": "string", "enum": values })
            }
            Some(TypeKind::InputObject(of)) if depth < DEPTH_MAX => {
                self.of_inputs(of.fields.iter(), depth + 1, with_null).into()
            }
            _ => json!({}),
        }
    }

    fn description(&self, outline: &Outline, operation: &Operation, variable: &Name) -> Option<String> {
        let root = if operation.kind == OperationType::Mutation { "Mutation" } else { "Query" };
        let TypeKind::Object(root) = &self.0.get(root)?.kind else { return None };
        outline.set(operation.set).selections.iter().find_map(|selection| {
            let SelectionKind::Field(field) = &selection.kind else { return None };
            let is_variable =
                |(_, value): &&(Name, Literal)| matches!(value, Literal::Variable(name) if name == variable);
            let (argument, _) = field.arguments.iter().find(is_variable)?;
            let of = root.fields.iter().find(|of| of.node.name.node == field.name)?;
            let of = of.node.arguments.iter().find(|of| of.node.name.node == *argument)?;
            of.node.description.as_ref().map(|text| one_line(&text.node))
        })
    }
}

fn object(properties: Map<String, Value>, required: Vec<String>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn allow_null(schema: &mut Value) {
    if let Some(of) = schema.get("type").cloned() {
        schema["type"] = json!([of, "null"]);
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
