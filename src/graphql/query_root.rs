//! The type `Query`. The rule: each group of its fields has a file.

use async_graphql::MergedObject;

use super::query::MainQuery;
use super::query_series::SeriesQuery;

/// All read operations. Send them by POST as JSON to `/graphql`. Start with `posts`, newest first, or with a slug: `post`, `tag`, `category`, `author`, `series`. Lists
/// are pages of cursors: `first` is the page size, and `after` with the `endCursor` of a page returns the next page; `last` and `before` with the
/// `startCursor` return the previous page; `first` and `last` together are the last items of the first ones. A cursor of another list is BAD_CURSOR. A field
/// that requires a role says so; all others are public. Each entry of `errors` has `extensions.code` and `extensions.retryable`: whether the same request can
/// be sent again, after `extensions.retryAfterMs` if it is given. Decide by `data` and `errors`, not by the HTTP status. A query that may need too many
/// storage requests (50,000, unless the server is set otherwise) is refused before it runs: QUERY_TOO_COMPLEX.
#[derive(MergedObject, Default)]
pub struct Query(MainQuery, SeriesQuery);
