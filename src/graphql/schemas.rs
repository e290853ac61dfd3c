//! The variants of the schema. The rule: the variants of a service have the same types and give the same answers, and differ only in
//! validation and extensions; services with the same declared fields share them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_graphql::{EmptySubscription, Request, Schema, SchemaBuilder, ServerError, ValidationMode};

use super::cost::OnlyCheck;
use super::guard::Limits;
use super::mutation::{Mutation, PostPayload};
use super::outline::OperationOutline;
use super::query_root::Query;
use super::rules::Rules;
use super::site_fields::{DeclaredTypes, declaring};
use super::type_map::TypeMap;
use super::types::grouping_term::GroupingTerm;
use super::unsent::omit_unsent;
use super::validation::Validation;
use crate::model::SiteFields;

pub type TidingsSchema = Schema<Query, Mutation, EmptySubscription>;

/// How a variant of the schema treats a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaKind {
    /// Validates and executes.
    Strict,
    /// Validates and executes nothing.
    Checking,
    /// Executes without validation.
    Trusting,
}

/// The number of variants: each kind with and without suggested names in errors.
const SCHEMAS: usize = 6;

/// The variants with the same declared fields. Each is created when a service first needs it.
#[derive(Default)]
struct Made {
    schemas: [OnceLock<TidingsSchema>; SCHEMAS],
    types: OnceLock<Arc<TypeMap>>,
    /// Without and with suggested names.
    rules: [OnceLock<Arc<Rules>>; 2],
}

/// The variants without declared fields.
static PLAIN: OnceLock<Arc<Made>> = OnceLock::new();
/// The variants with the most recently declared fields, because a process serves one site.
static DECLARED: Mutex<Option<(SiteFields, Arc<Made>)>> = Mutex::new(None);

fn made(fields: &SiteFields) -> Arc<Made> {
    if !declares_any(fields) {
        return Arc::clone(PLAIN.get_or_init(Arc::default));
    }
    let mut last = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, made)) = last.as_ref().filter(|(declared, _)| declared == fields) {
        return Arc::clone(made);
    }
    let made = Arc::<Made>::default();
    *last = Some((fields.clone(), Arc::clone(&made)));
    made
}

/// The variant with these declared fields.
pub(super) fn schema(kind: SchemaKind, suggests_names: bool, fields: &SiteFields) -> TidingsSchema {
    let build = || {
        let builder = builder(fields);
        let builder = match kind {
            SchemaKind::Strict => builder,
            SchemaKind::Checking => builder.extension(OnlyCheck),
            SchemaKind::Trusting => builder.validation_mode(ValidationMode::Fast),
        };
        if suggests_names { builder.finish() } else { builder.disable_suggestions().finish() }
    };
    made(fields).schemas[kind as usize * 2 + usize::from(suggests_names)].get_or_init(build).clone()
}

pub(super) fn types(fields: &SiteFields) -> Arc<TypeMap> {
    let read = || {
        let sdl = schema(SchemaKind::Strict, true, fields).sdl();
        Arc::new(TypeMap::of(&sdl).expect("the engine's own SDL is well-formed"))
    };
    Arc::clone(made(fields).types.get_or_init(read))
}

pub(super) fn rules(suggests_names: bool, fields: &SiteFields) -> Arc<Rules> {
    let read = || Arc::new(Rules::of(&schema(SchemaKind::Strict, true, fields).sdl(), suggests_names));
    Arc::clone(made(fields).rules[usize::from(suggests_names)].get_or_init(read))
}

fn declares_any(fields: &SiteFields) -> bool {
    fields.of_posts.is_some() || fields.of_pages.is_some()
}

pub(super) struct Schemas {
    /// For requests without an operation.
    pub strict: TidingsSchema,
    pub validation: Arc<Validation>,
    /// Executes valid requests.
    pub trusting: TidingsSchema,
}

impl Schemas {
    pub(super) fn of(suggests_names: bool, fields: &SiteFields) -> Self {
        let [strict, trusting] =
            [SchemaKind::Strict, SchemaKind::Trusting].map(|kind| schema(kind, suggests_names, fields));
        let validation = Arc::new(Validation::of(suggests_names, fields));
        Self { strict, validation, trusting }
    }

    /// Validates an operation before it runs, and omits the arguments whose variables the client has not sent.
    pub(super) fn prepare(&self, operation: &OperationOutline, request: &mut Request) -> Result<(), Vec<ServerError>> {
        let faults = self.validation.check(operation, request);
        if !faults.is_empty() {
            return Err(faults);
        }
        omit_unsent(operation, request).map_err(|error| vec![error])
    }
}

fn builder(fields: &SiteFields) -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    let nesting = Limits::default().nesting + 1;
    declaring(fields, || {
        // No field returns these interfaces, so the engine would not find them.
        Schema::build(Query::default(), Mutation, EmptySubscription)
            .register_output_type::<PostPayload>()
            .register_output_type::<GroupingTerm>()
            .register_output_type::<DeclaredTypes>()
    })
    .limit_recursive_depth(nesting)
}
