//! The limits of a document, each with its reason. The rule: a limit is defined here and nowhere else.

/// The limits of a request's document and variables, checked before the engine gets them.
///
/// They protect the parser and the validation. The service limits the storage requests, because it knows the cost of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document. The largest documents of real front ends have some 30 KiB; the text of a post belongs in a variable.
    pub document_bytes: usize,
    /// Brackets open at once, and nested selection sets with fragments expanded. The parser recurses for each bracket and overflows the
    /// stack of a thread at about 1,700; the engine stops at one more than this limit (`limit_recursive_depth` in `graphql/schema.rs`).
    /// GraphiQL's introspection has 17.
    pub nesting: usize,
    /// Names, numbers, strings and punctuators. GraphiQL's introspection has 190.
    pub tokens: usize,
    /// Directives in the text. The engine walks each of them for each spread of its fragment.
    pub directives: usize,
    /// Fields, spreads and inline fragments of all operations; GraphiQL's introspection has 240. Each fragment counts as often as it is spread, because the engine's
    /// validation walks all spreads.
    pub fields: usize,
    /// Levels of nested fields outside of introspection. `posts { edges { node { author { posts { edges { node { tags { name }}}}}}}}` is 9.
    pub depth: usize,
    /// Aliases, with fragments expanded: each can run a resolver again.
    pub aliases: usize,
    /// Fields at the root of one operation, with fragments expanded. Each starts its own reads, or is a write.
    pub root_fields: usize,
    /// Whether `__schema` and `__type` can be queried. `__typename` always can, because clients need it.
    pub introspection: bool,
    /// The estimated number of values that introspection returns, because lists of types, fields and arguments multiply. GraphiQL's
    /// introspection has 195,000 by this estimate; each additional `fields { type {` multiplies it by eight.
    pub introspection_values: usize,
    /// Values in `variables`, including those inside lists and objects. The engine copies them for each use.
    pub variable_values: usize,
    /// Uses of variables with fragments expanded, times the values of variables including defaults: the number of copied values.
    pub variable_copies: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 64 * 1024,
            nesting: 32,
            tokens: 4_000,
            directives: 100,
            fields: 2_000,
            depth: 16,
            aliases: 100,
            root_fields: 50,
            introspection: true,
            introspection_values: 250_000,
            variable_values: 10_000,
            variable_copies: 100_000,
        }
    }
}
