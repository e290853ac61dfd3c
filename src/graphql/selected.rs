//! The fields that are selected on objects of one type. The rule: they are the same as in the engine's own container, in the same order.

use async_graphql::parser::types::{Field, Selection, SelectionSet, TypeCondition};
use async_graphql::{ContextSelectionSet, Positioned};

/// The selected fields of objects of this type, in order; `None` if the engine must resolve the objects.
pub(super) fn fields_of<'a>(
    ctx: &'a ContextSelectionSet<'_>,
    object: &str,
    set: &'a SelectionSet,
) -> Option<Vec<&'a Positioned<Field>>> {
    let mut fields = Vec::with_capacity(set.items.len());
    add(ctx, object, set, &mut fields).then_some(fields)
}

/// Adds the fields of a selection set and its fragments on an object of this type. Returns false if the engine must resolve the object,
/// because a field has a directive (`@skip` and `@include` are already removed) or a spread names an unknown fragment. The guard limits the
/// recursion.
fn add<'a>(
    ctx: &'a ContextSelectionSet<'_>,
    object: &str,
    set: &'a SelectionSet,
    fields: &mut Vec<&'a Positioned<Field>>,
) -> bool {
    set.items.iter().all(|selection| match &selection.node {
        Selection::Field(field) => {
            fields.push(field);
            field.node.directives.is_empty()
        }
        Selection::InlineFragment(inline) => {
            let condition = inline.node.type_condition.as_ref();
            !condition.is_none_or(|on| applies(ctx, on, object))
                || add(ctx, object, &inline.node.selection_set.node, fields)
        }
        Selection::FragmentSpread(spread) => {
            let fragment = ctx.query_env.fragments.get(&spread.node.fragment_name.node);
            fragment.is_some_and(|fragment| {
                !applies(ctx, &fragment.node.type_condition, object)
                    || add(ctx, object, &fragment.node.selection_set.node, fields)
            })
        }
    })
}

fn applies(ctx: &ContextSelectionSet<'_>, condition: &Positioned<TypeCondition>, object: &str) -> bool {
    let on = condition.node.on.node.as_str();
    let interfaces = || ctx.schema_env.registry.implements.get(object);
    on == object || interfaces().is_some_and(|interfaces| interfaces.contains(on))
}
