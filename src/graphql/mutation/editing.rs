//! The editor of a mutation of content. The rule: the role is checked before anything is read.

use async_graphql::Context;

use crate::content::editor::Editor;
use crate::graphql::failure::Result;
use crate::graphql::{access, context};
use crate::model::Role;

/// Checks the role before each mutation of content, and drops what was loaded for the previous one.
pub(super) fn editor<'a>(ctx: &Context<'a>, needed: Role) -> Result<Editor<'a>> {
    let actor = access::require(ctx, needed)?;
    let request = context::of(ctx);
    request.loaders.clear();
    Ok(Editor::new(&request.content, &request.reader, actor)?)
}
