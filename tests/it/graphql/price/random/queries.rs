//! Random queries. The rule: they are valid, but for slugs, ids and cursors that are of nothing.

use super::{IS_ON, Known, LANGUAGES, SIZE, TERMS};
use crate::support::random::Random;

/// A fragment on an interface, which some queries spread.
const FRAGMENT: &str = "...OfNode";
const FRAGMENT_TEXT: &str = " fragment OfNode on Node { id ... on Content { slug title } ... on Term { slug postCount few: posts(first: 2) { nodes { author { name } } } } }";

/// Writes random operations.
pub(super) struct Writer<'a> {
    pub random: &'a mut Random,
    pub known: &'a Known,
}

impl Writer<'_> {
    pub(super) fn quoted(&mut self, from: &[String]) -> String {
        format!("{:?}", if from.is_empty() || self.random.chance(5) { "unknown" } else { self.random.pick(from) })
    }

    pub(super) fn term(&mut self, kind: usize) -> String {
        let known = self.known;
        self.quoted(&known.terms[kind])
    }

    /// `cursors`: of the list, if the generator knows them.
    pub(super) fn page(&mut self, cursors: Option<usize>, more: Vec<String>) -> String {
        let mut arguments = more;
        let mut size = [0, 1, 2, 3, 5, 20, 100][self.random.below(7)].to_string();
        if self.random.chance(30) {
            size = SIZE.to_owned();
        }
        match self.random.below(4) {
            0 => {}
            1 => arguments.push(format!("last: {size}")),
            2 if self.random.chance(20) => arguments.push(format!("first: {size}, last: {}", self.random.below(8))),
            _ => arguments.push(format!("first: {size}")),
        }
        let known = self.known;
        if let Some(cursors) = cursors.map(|list| &known.cursors[list]).filter(|cursors| !cursors.is_empty()) {
            for name in ["after", "before"] {
                if self.random.chance(25) {
                    arguments.push(format!("{name}: {:?}", self.random.pick(cursors)));
                }
            }
        }
        if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) }
    }

    fn filter(&mut self) -> Vec<String> {
        if self.random.chance(60) {
            return Vec::new();
        }
        let mut conditions = Vec::new();
        for (kind, name) in TERMS.iter().enumerate() {
            if self.random.chance(45) {
                let mut named = Vec::new();
                for condition in ["all", "any", "none"] {
                    if self.random.chance(40) {
                        let count = if self.random.chance(5) { 25 } else { self.random.below(4) };
                        let slugs: Vec<String> = (0..count).map(|_| self.term(kind)).collect();
                        named.push(format!("{condition}: [{}]", slugs.join(", ")));
                    }
                }
                conditions.push(format!("{name}: {{ {} }}", named.join(", ")));
            }
        }
        if self.random.chance(30) {
            let count = if self.random.chance(5) { 12 } else { self.random.below(4) };
            let languages: Vec<String> = (0..count).map(|_| format!("{:?}", self.random.pick(&LANGUAGES))).collect();
            conditions.push(format!("languages: [{}]", languages.join(", ")));
        }
        if self.random.chance(30) {
            let featured = ["true", "true", "false", "null"][self.random.below(4)];
            conditions.push(format!("featured: {featured}"));
        }
        if self.random.chance(30) {
            let bounds =
                ["gt: \"2025-03-05T00:00:00Z\"", "lte: \"2026-02-03T04:05:06Z\"", "gte: \"2027-01-01T00:00:00Z\""];
            conditions.push(format!("publishedAt: {{ {} }}", self.random.pick(&bounds)));
        }
        vec![format!("filter: {{ {} }}", conditions.join(", "))]
    }

    fn order(&mut self, field: &str) -> Vec<String> {
        let direction = if self.random.chance(50) { "ASC" } else { "DESC" };
        if self.random.chance(70) {
            return Vec::new();
        }
        vec![format!("orderBy: {{ field: {field}, direction: {direction} }}")]
    }

    /// Some of these fields, at least one.
    pub(super) fn some(&mut self, mut fields: Vec<String>) -> String {
        let first = self.random.below(fields.len());
        let mut chosen = vec![fields.swap_remove(first)];
        chosen.extend(fields.into_iter().filter(|_| self.random.chance(35)));
        let chosen: Vec<String> = chosen.into_iter().map(|field| self.now_and_then(field)).collect();
        chosen.join(" ")
    }

    /// The field, sometimes under a condition.
    fn now_and_then(&mut self, field: String) -> String {
        match self.random.below(24) {
            0 => format!("... @include(if: {}) {{ {field} }}", self.random.chance(50)),
            1 => format!("... @skip(if: {}) {{ {field} }}", self.random.chance(50)),
            2 => format!("... @include(if: {IS_ON}) {{ {field} }}"),
            3 => format!("... @skip(if: {IS_ON}) {{ {field} }}"),
            _ => field,
        }
    }

    pub(super) fn connection(&mut self, depth: usize, node: fn(&mut Self, usize) -> String) -> String {
        let item = node(self, depth);
        let nodes = if self.random.chance(70) {
            format!("nodes {{ {item} }}")
        } else {
            format!("edges {{ cursor node {{ {item} }} }}")
        };
        let info = self.some(["hasNextPage", "hasPreviousPage", "endCursor"].map(str::to_owned).to_vec());
        self.some(vec![
            nodes.clone(),
            nodes,
            format!("pageInfo {{ {info} }}"),
            "totalCount".to_owned(),
            "__typename".to_owned(),
        ])
    }

    fn posts(&mut self, depth: usize, (cursors, is_filtered): (Option<usize>, bool)) -> String {
        let mut more = self.order("PUBLISHED_AT");
        more.extend(if is_filtered { self.filter() } else { Vec::new() });
        // A cursor is of the list without a filter and in the usual order.
        let cursors = cursors.filter(|_| more.is_empty());
        format!("posts{} {{ {} }}", self.page(cursors, more), self.connection(depth, Self::post))
    }

    pub(super) fn post(&mut self, depth: usize) -> String {
        let mut fields =
            ["id", "title", "body { wordCount }", "excerpt", "language", "featured"].map(str::to_owned).to_vec();
        fields.push("... on Node { ... on Revision { tags { slug } authors { slug } } }".to_owned());
        if depth > 0 {
            for name in TERMS {
                fields.push(format!("{name} {{ {} }}", self.term_fields(depth - 1)));
            }
            let of_series = self.series(depth - 1);
            fields.push(format!("series {{ number series {{ {of_series} }} }}"));
            let (previous, next) = (self.post(depth - 1), self.post(depth - 1));
            fields.push(format!("series {{ previous {{ {previous} }} next {{ {next} }} }}"));
            fields.push(format!("author {{ {} }}", self.term_fields(depth - 1)));
            for name in ["newer", "older"] {
                let filter = self.filter().concat();
                let filter = if filter.is_empty() { filter } else { format!("({filter})") };
                fields.push(format!("{name}{filter} {{ {} }}", self.post(depth - 1)));
            }
            let version = self.some(["version", "tags { slug }", "body { wordCount }"].map(str::to_owned).to_vec());
            fields.push(format!("revisions(first: 5) {{ nodes {{ {version} }} totalCount }}"));
        }
        self.some(fields)
    }

    pub(super) fn term_fields(&mut self, depth: usize) -> String {
        let mut fields = ["name", "slug", "postCount"].map(str::to_owned).to_vec();
        if depth > 0 {
            fields.push(self.posts(depth - 1, (None, true)));
        }
        self.some(fields)
    }

    fn series(&mut self, depth: usize) -> String {
        let mut fields = ["name", "slug", "postCount"].map(str::to_owned).to_vec();
        if depth > 0 {
            let more = [self.order("PUBLISHED_AT"), self.filter()].concat();
            fields.push(format!("posts{} {{ {} }}", self.page(None, more), self.connection(depth - 1, Self::post)));
        }
        self.some(fields)
    }

    fn root(&mut self) -> String {
        let depth = self.random.below(4);
        let kind = self.random.below(3);
        let known = self.known;
        match self.random.below(17) {
            16 => "site { languages }".to_owned(),
            14 | 15 => self.pages_of_site(depth),
            12 => format!("series(slug: \"series-{}\") {{ {} }}", self.random.below(4), self.series(depth)),
            13 => {
                let more = self.order("SLUG");
                format!("allSeries{} {{ {} }}", self.page(None, more), self.connection(depth, Self::series))
            }
            0..=2 => self.posts(depth, (Some(0), true)),
            3 => format!("post(slug: {}) {{ {} }}", self.quoted(&known.slugs), self.post(depth)),
            4 => format!("{}(slug: {}) {{ {} }}", ["category", "tag", "author"][kind], self.term(kind), self.term_fields(depth)),
            5 | 6 => {
                let field = if self.random.chance(25) { "POST_COUNT" } else { "SLUG" };
                let more = self.order(field);
                let cursors = Some(1 + kind).filter(|_| more.is_empty());
                format!("{}{} {{ {} }}", TERMS[kind], self.page(cursors, more), self.connection(depth, Self::term_fields))
            }
            7 => {
                let year = ["", "(year: 2026)", "(year: 2025, month: 11)"][self.random.below(3)];
                format!("archive{year} {{ month postCount {} }}", self.posts(depth, (None, false)))
            }
            8 => {
                let list = ["draftPosts", "scheduledPosts"][self.random.below(2)];
                format!("{list}{} {{ {} }}", self.page(None, Vec::new()), self.connection(depth, Self::post))
            }
            9 | 10 => {
                let ids: Vec<String> = (0..1 + self.random.below(6)).map(|_| self.quoted(&known.ids)).collect();
                let (post, term) = (self.post(depth), self.term_fields(depth));
                format!("nodes(ids: [{}]) {{ id ... on Post {{ {post} }} ... on Term {{ {term} }} ... on Revision {{ tags {{ slug }} }} {} }}", ids.join(", "), if self.random.chance(50) { FRAGMENT } else { "" })
            }
            _ => "auditLog(first: 20) { nodes { actor { author { name } } ... on ContentAuditLogEntry { slug node { ... on Post { tags { name } } } } ... on TokenAuditLogEntry { token { author { name } } } ... on WebhookAuditLogEntry { webhook { deliveries { at } } } } }".to_owned(),
        }
    }

    pub(super) fn query(&mut self) -> String {
        let mut root = |n: usize| {
            let root = self.root();
            self.now_and_then(format!("r{n}: {root}"))
        };
        let roots = [0, 1, 2].map(&mut root);
        let query = format!("{{ {} }}", roots[..1 + self.random.below(3)].join(" "));
        self.declared("query", &query)
    }

    /// The operation with the variables that it uses.
    pub(super) fn declared(&self, keyword: &str, operation: &str) -> String {
        let declared = [(SIZE, "Int"), (IS_ON, "Boolean = true")];
        let used = declared.into_iter().filter(|(name, _)| operation.contains(name));
        let used: Vec<String> = used.map(|(name, of)| format!("{name}: {of}")).collect();
        let fragment = if operation.contains(FRAGMENT) { FRAGMENT_TEXT } else { "" };
        match used.is_empty() {
            true if keyword == "query" && fragment.is_empty() => operation.to_owned(),
            true => format!("{keyword} {operation}{fragment}"),
            false => format!("{keyword}({}) {operation}{fragment}", used.join(", ")),
        }
    }
}
