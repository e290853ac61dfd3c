//! The schema and its variants. The rule: the schema is the one in `schema.graphql`, which a test compares; the variants have the same types and give the same
//! answers, and differ only in validation and extensions; services with the same declared fields share them.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::TypeSystemDefinition;
use async_graphql::{Response, SDLExportOptions, Schema, SchemaBuilder, ValidationMode, Value};

use super::guard::Limits;
use super::live::Live;
use super::mutation::{Mutation, PagePayload, PostPayload};
use super::query::Query;
use super::site_fields::{self, BadFields, DeclaredTypes, declaring};
use super::subscription::Subscription;
use super::type_map::TypeMap;
use super::types::term::GroupingTerm;
use crate::model::SiteFields;

pub type TidingsSchema = Schema<Query, Mutation, Subscription>;

/// The schema without declared fields.
pub fn build() -> TidingsSchema {
    build_with(&SiteFields::default())
}

pub fn build_with(fields: &SiteFields) -> TidingsSchema {
    Schemas::of(fields).trusting().clone()
}

/// Parses the SDL of declared fields.
///
/// # Errors
/// If the text does not declare fields that the schema can have.
pub fn site_fields(text: &str) -> Result<SiteFields, BadFields> {
    site_fields::parse(text, &SERVED_TYPES)
}

/// The names of all types of the schema without declared fields.
static SERVED_TYPES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let definitions = parse_schema(sdl(&build())).expect("the engine's own SDL is well-formed").definitions;
    let served = definitions.into_iter().filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => Some(definition.node.name.node.to_string()),
        TypeSystemDefinition::Schema(_) | TypeSystemDefinition::Directive(_) => None,
    });
    served.collect()
});

/// The SDL of the schema, as `tidings schema` prints it.
pub fn sdl(schema: &TidingsSchema) -> String {
    let text = schema.sdl_with_options(SDLExportOptions::new().include_specified_by());
    format!("{}\n", text.trim_end())
}

/// The variants with the same declared fields. Each is created when a service first needs it.
#[derive(Default)]
pub(super) struct Schemas {
    fields: SiteFields,
    checking: OnceLock<TidingsSchema>,
    trusting: OnceLock<TidingsSchema>,
    types: OnceLock<Arc<TypeMap>>,
}

/// The most recently used schemas, because a process serves one site.
static LAST: Mutex<Option<Arc<Schemas>>> = Mutex::new(None);

impl Schemas {
    pub(super) fn of(fields: &SiteFields) -> Arc<Self> {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schemas) = last.as_ref().filter(|schemas| schemas.fields == *fields) {
            return Arc::clone(schemas);
        }
        let schemas = Arc::new(Self { fields: fields.clone(), ..Self::default() });
        *last = Some(Arc::clone(&schemas));
        schemas
    }

    /// Validates and executes nothing.
    pub(super) fn checking(&self) -> &TidingsSchema {
        self.checking.get_or_init(|| self.builder().extension(OnlyCheck).finish())
    }

    /// Executes without validation.
    pub(super) fn trusting(&self) -> &TidingsSchema {
        self.trusting.get_or_init(|| self.builder().validation_mode(ValidationMode::Fast).finish())
    }

    pub(super) fn types(&self) -> &Arc<TypeMap> {
        let read = || Arc::new(TypeMap::of(&self.trusting().sdl()).expect("the engine's own SDL is well-formed"));
        self.types.get_or_init(read)
    }

    fn builder(&self) -> SchemaBuilder<Query, Mutation, Subscription> {
        let nesting = Limits::default().nesting + 1;
        // The rules make the suggestions in errors.
        declaring(&self.fields, || {
            // No field returns these interfaces, so the engine would not find them.
            Schema::build(Query, Mutation::default(), Subscription)
                .register_output_type::<PostPayload>()
                .register_output_type::<PagePayload>()
                .register_output_type::<GroupingTerm>()
                .register_output_type::<DeclaredTypes>()
                .directive(Live)
        })
        .limit_recursive_depth(nesting)
        .disable_suggestions()
    }
}

/// Ends a request before its execution.
struct OnlyCheck;

impl ExtensionFactory for OnlyCheck {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for OnlyCheck {
    async fn execute(&self, _: &ExtensionContext<'_>, _: Option<&str>, _: NextExecute<'_>) -> Response {
        Response::new(Value::Null)
    }
}
