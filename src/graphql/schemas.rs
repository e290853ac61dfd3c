//! The schemas of one service. The rule: they have the same types and give the same answers; they differ in what they do beside it.

use std::sync::OnceLock;

use async_graphql::{EmptySubscription, Schema, SchemaBuilder, ValidationMode};

use super::explain::FieldPurposes;
use super::guard::Limits;
use super::mutation::{Mutation, PostPayload};
use super::query::Query;
use super::site_fields::{DeclaredTypes, declaring};
use super::types::term::GroupingTerm;
use super::unsent::ADDED_NESTING;
use crate::model::SiteFields;

pub type TidingsSchema = Schema<Query, Mutation, EmptySubscription>;

pub(super) struct Schemas {
    /// It validates each document.
    pub strict: TidingsSchema,
    /// Its resolvers know their fields; built for the first request that is explained.
    explaining: OnceLock<TidingsSchema>,
    /// It validates nothing; built for the first document that was valid before.
    trusting: OnceLock<TidingsSchema>,
    suggests_names: bool,
    /// What the site declares.
    fields: SiteFields,
}

impl Schemas {
    /// `suggests_names`: whether errors suggest names, as those of `strict` do. `fields`: those that `strict` has.
    pub(super) fn of(strict: TidingsSchema, suggests_names: bool, fields: SiteFields) -> Self {
        Self { strict, explaining: OnceLock::new(), trusting: OnceLock::new(), suggests_names, fields }
    }

    /// The schema in which a request runs. `was_valid`: validation is known to find no error.
    pub(super) fn for_request(&self, is_explained: bool, was_valid: bool) -> &TidingsSchema {
        match is_explained {
            true => self.explaining(),
            false if was_valid => self.trusting(),
            false => &self.strict,
        }
    }

    pub(super) fn explaining(&self) -> &TidingsSchema {
        self.explaining.get_or_init(|| {
            let builder = builder(&self.fields).extension(FieldPurposes);
            if self.suggests_names { builder.finish() } else { builder.disable_suggestions().finish() }
        })
    }

    fn trusting(&self) -> &TidingsSchema {
        self.trusting.get_or_init(|| builder(&self.fields).validation_mode(ValidationMode::Fast).finish())
    }
}

/// The builder of a schema with the fields that a site declares.
pub(super) fn builder(fields: &SiteFields) -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    let nesting = Limits::default().nesting + ADDED_NESTING;
    declaring(fields, || {
        // No field returns these interfaces, so the engine would not find them.
        Schema::build(Query, Mutation, EmptySubscription)
            .register_output_type::<PostPayload>()
            .register_output_type::<GroupingTerm>()
            .register_output_type::<DeclaredTypes>()
    })
    .limit_recursive_depth(nesting)
}
