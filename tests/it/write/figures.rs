//! What changes cost, in storage requests. The rule: this is the one place of these figures; the tests measure them, and docs/writing.md shows them.

/// Point reads, range reads and transactions.
pub type Cost = (u32, u32, u32);

/// A change, its cost on a file and on tables, and the most round trips one after another on tables until the answer.
pub type Figures = (&'static str, Cost, Cost, u32);

/// Of a server that does not hold what it reads, and has written before.
pub const CHANGES: [Figures; 12] = [
    ("create and publish, 1 author, 1 category, 3 tags", (5, 0, 1), (8, 0, 11), 5),
    ("change the title", (2, 0, 1), (4, 0, 5), 7),
    ("one tag for another", (5, 0, 1), (12, 0, 7), 9),
    ("one language for another", (2, 0, 1), (9, 0, 8), 9),
    ("a post becomes featured", (2, 0, 1), (5, 0, 6), 7),
    ("another day of the month", (2, 0, 1), (23, 0, 19), 11),
    ("another month", (2, 0, 1), (24, 0, 19), 11),
    ("another slug", (2, 0, 1), (8, 0, 9), 9),
    ("delete", (2, 0, 1), (17, 1, 12), 8),
    ("the same with an `idempotencyKey`", (6, 0, 1), (11, 0, 12), 8),
    ("the same again with the same key", (3, 0, 0), (3, 0, 0), 3),
    ("rename a tag", (1, 0, 1), (7, 0, 8), 8),
];

pub const TOKEN_CHANGES: [Figures; 3] = [
    ("create a token", (0, 1, 1), (1, 1, 4), 4),
    ("revoke a token", (1, 0, 1), (1, 0, 4), 3),
    ("revoke all preview links", (1, 0, 1), (3, 0, 4), 5),
];

/// A new post with these tags, on tables, of a server at work, which holds the terms: its cost, and the round trips.
pub const NEW_POST: [(&str, Cost, u32); 2] = [(r#""a""#, (3, 0, 9), 4), (TAGS, (3, 0, 11), 4)];

pub const TAGS: &str = r#""a", "b", "c""#;

/// A new post with [`TAGS`] on Azurite: the requests in its access log, and the most round trips.
pub const NEW_POST_ON_AZURITE: (usize, u32) = (14, 4);
