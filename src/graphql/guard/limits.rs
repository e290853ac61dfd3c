//! The bounds of a document, each with its reason. The rule: a bound is stated here and nowhere else.

/// The bounds that a request's document and variables are held to before the engine sees them.
///
/// They protect the parser and the validation; what the storage is asked for is bounded by the schema, which knows what each
/// field costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document. The largest documents of real front ends are some 30 KiB; a post's text belongs into a variable.
    pub document_bytes: usize,
    /// Brackets open at once, and selection sets inside each other where fragments are spread. The parser recurses for each
    /// bracket and runs out of a thread's stack at some 1,700; the engine stops at 32 (`limit_recursive_depth`), so that a
    /// higher limit needs a higher one there. GraphiQL's introspection has 17.
    pub nesting: usize,
    /// Names, numbers, strings and punctuators. GraphiQL's introspection has 190.
    pub tokens: usize,
    /// Directives as written. The engine walks each of them for each spread of its fragment.
    pub directives: usize,
    /// Fields, spreads and inline fragments of all operations, each fragment counted as often as it is spread: what the
    /// engine's validation walks.
    pub fields: usize,
    /// Fields inside fields. `posts { edges { node { author { posts { edges { node { tags { name }}}}}}}}` is 9.
    pub depth: usize,
    /// Aliases, fragments spread: each is one more run of a resolver.
    pub aliases: usize,
    /// Fields of one operation's root, fragments spread: each starts reads of its own, or is a write.
    pub root_fields: usize,
    /// Whether `__schema` and `__type` may be asked. `__typename` always may: clients cannot do without.
    pub introspection: bool,
    /// As `fields`, under `__schema` and `__type`. GraphiQL's introspection has 240.
    pub introspection_fields: usize,
    /// As `depth`, under `__schema` and `__type`. GraphiQL's introspection is 15 deep.
    pub introspection_depth: usize,
    /// How many values an introspection answers, estimated: lists of types, fields and arguments multiply. GraphiQL's
    /// introspection is 195,000 by this estimate; each `fields { type {` more multiplies it by eight.
    pub introspection_values: usize,
    /// Values in `variables`, those inside lists and objects included. The engine copies them for each use.
    pub variable_values: usize,
    /// Uses of variables, fragments spread, times the values in `variables`: how many values are copied.
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
            introspection_fields: 500,
            introspection_depth: 20,
            introspection_values: 250_000,
            variable_values: 10_000,
            variable_copies: 100_000,
        }
    }
}
