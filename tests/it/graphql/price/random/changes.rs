//! Random mutations of every kind. The rule: most of them name objects with their present versions, so that they are made; the others are refused.

use super::queries::Writer;
use super::{Object, SLUGS};

const SINGULAR: [&str; 3] = ["Category", "Tag", "Author"];
const PLURAL: [&str; 3] = ["Categories", "Tags", "Authors"];
pub(super) const ERRORS: &str = "userErrors { code field ... on ConflictError { current { id ... on Post { tags { name postCount } authors { slug } } ... on Term { name postCount } } } ... on NotFoundError { suggestions } }";

impl Writer<'_> {
    /// The id and the version of an object; now and then of another version.
    pub(super) fn versioned(&mut self, from: &[Object]) -> String {
        let missing = Object { id: "post-0123456789ab".to_owned(), version: 1 };
        let Object { id, version } = if from.is_empty() { &missing } else { self.random.pick(from) };
        let version = if self.random.chance(10) { version + 1 } else { *version };
        format!("id: {id:?}, expectedVersion: {version}")
    }

    /// The fields of an input that name terms, each in some inputs only.
    fn named_terms(&mut self) -> Vec<String> {
        let mut fields = Vec::new();
        for (kind, name) in SLUGS.iter().enumerate() {
            match self.random.below(4) {
                0 => fields.push(format!("{name}: []")),
                1 | 2 => {
                    let count = self.random.below(4);
                    let mut slugs: Vec<String> = (0..count).map(|_| self.term(kind)).collect();
                    if self.random.chance(20) {
                        slugs.push(format!("\"new-{}\"", self.random.below(40)));
                    }
                    fields.push(format!("{name}: [{}]", slugs.join(", ")));
                }
                _ => {}
            }
        }
        if self.random.chance(40) {
            fields.push(["language: \"de\"", "language: \"fr\"", "language: null"][self.random.below(3)].to_owned());
        }
        if self.random.chance(40) {
            fields.push(["featured: true", "featured: false"][self.random.below(2)].to_owned());
        }
        if self.random.chance(60) {
            fields.push("createMissingTags: true".to_owned());
        }
        fields
    }

    /// Posts as a change of many names them; now and then one twice.
    fn some_posts(&mut self) -> String {
        let known = self.known;
        let count = 1 + self.random.below(4);
        (0..count).map(|_| format!("{{ {} }}", self.versioned(&known.posts))).collect()
    }

    /// The publication of a change of text.
    pub(super) fn publishing(&mut self) -> String {
        let publishing = ["publish: true", "publish: false", "publishAt: \"2026-02-03T00:00:00Z\""];
        publishing[self.random.below(3)].to_owned()
    }

    pub(super) fn publication(&mut self) -> &'static str {
        ["null", "\"2027-01-02T03:04:05Z\"", "\"2026-06-20T00:00:00Z\"", "\"2026-02-03T00:00:00Z\""]
            [self.random.below(4)]
    }

    fn payload_of_post(&mut self) -> String {
        let depth = self.random.below(2);
        let post = self.post(depth);
        format!("{{ post {{ id {post} }} {ERRORS} }}")
    }

    fn of_post(&mut self, number: usize) -> String {
        let known = self.known;
        let payload = self.payload_of_post();
        match self.random.below(9) {
            0 | 1 => {
                let mut input = self.named_terms();
                input.push(
                    ["title: \"Title\"", "title: \"Another title\"", "title: \"\""][self.random.below(3)].to_owned(),
                );
                if self.random.chance(40) {
                    input.push(format!("slug: \"slug-{}\"", self.random.below(30)));
                }
                if self.random.chance(25) {
                    input.push(format!("idempotencyKey: \"key-{}\"", self.random.below(5)));
                }
                format!(
                    "createPost(input: {{ {}, markdown: \"x\", publishAt: {} }}) {payload}",
                    input.join(", "),
                    self.publication()
                )
            }
            2 => {
                let mut input = self.named_terms();
                if self.random.chance(60) {
                    input.push(format!("title: \"Title {number}\""));
                }
                if self.random.chance(30) {
                    input.push(format!("slug: \"slug-{}\"", self.random.below(30)));
                }
                if self.random.chance(30) {
                    input.push(self.publishing());
                }
                input.push(self.versioned(&known.posts));
                format!("updatePost(input: {{ {} }}) {payload}", input.join(", "))
            }
            3 => format!(
                "publishPost(input: {{ {}, publishAt: {} }}) {payload}",
                self.versioned(&known.posts),
                self.publication()
            ),
            4 => format!("unpublishPost(input: {{ {} }}) {payload}", self.versioned(&known.posts)),
            7 => self.of_posts(),
            8 if self.random.chance(30) => {
                format!("deletePosts(input: {{ posts: [{}] }}) {{ deletedIds {ERRORS} }}", self.some_posts())
            }
            5 => format!("deletePost(input: {{ {} }}) {{ deletedId {ERRORS} }}", self.versioned(&known.posts)),
            _ => {
                let post =
                    if known.posts.is_empty() { return self.of_term(number) } else { self.random.pick(&known.posts) };
                let earlier = 1 + self.random.below(usize::try_from(post.version).unwrap_or(1));
                let revision = format!("{}-{earlier}", post.id.replacen("post-", "revision-", 1));
                format!(
                    "restoreRevision(input: {{ revisionId: {revision:?}, expectedVersion: {} }}) {payload}",
                    post.version
                )
            }
        }
    }

    /// One change of many posts.
    fn of_posts(&mut self) -> String {
        let mut input: Vec<String> = Vec::new();
        for (field, kind) in [("addTagSlugs", 1), ("removeTagSlugs", 1), ("addCategorySlugs", 0), ("authorSlugs", 2)] {
            if self.random.chance(40) {
                let count = self.random.below(3);
                let slugs: Vec<String> = (0..count).map(|_| self.term(kind)).collect();
                input.push(format!("{field}: [{}]", slugs.join(", ")));
            }
        }
        if self.random.chance(40) {
            input.push(self.publishing());
        }
        if self.random.chance(30) {
            input.push("createMissingTags: true".to_owned());
        }
        let (posts, payload) = (self.some_posts(), self.payload_of_post().replacen("post {", "posts {", 1));
        format!("updatePosts(input: {{ posts: [{posts}], {} }}) {payload}", input.join(", "))
    }

    fn of_term(&mut self, number: usize) -> String {
        let kind = self.random.below(3);
        let (known, of) = (self.known, SINGULAR[kind]);
        let fields = self.term_fields(1);
        let payload = format!("{{ {} {{ id {fields} }} {ERRORS} }}", of.to_lowercase());
        match self.random.below(4) {
            3 => {
                let [from, into] = [(); 2].map(|()| self.versioned(&known.versions[kind]));
                format!("merge{}(input: {{ from: {{ {from} }}, into: {{ {into} }} }}) {payload}", PLURAL[kind])
            }
            0 => {
                let slug = if self.random.chance(50) {
                    format!(", slug: \"n{}\"", self.random.below(20))
                } else {
                    String::new()
                };
                format!("create{of}(input: {{ name: \"New {number}\"{slug} }}) {payload}")
            }
            1 => {
                let slug = if self.random.chance(50) {
                    format!(", slug: \"r{}\"", self.random.below(20))
                } else {
                    String::new()
                };
                let named = self.versioned(&known.versions[kind]);
                format!("update{of}(input: {{ {named}, name: \"Name {number}\"{slug} }}) {payload}")
            }
            _ => {
                let named = self.versioned(&known.versions[kind]);
                format!(
                    "delete{of}(input: {{ {named} }}) {{ deletedId userErrors {{ code ... on InUseError {{ usedByCount }} }} }}"
                )
            }
        }
    }

    fn of_token(&mut self, number: usize) -> String {
        let known = self.known;
        match self.random.below(4) {
            0 => {
                let post = if known.posts.is_empty() { "post-x" } else { &self.random.pick(&known.posts).id };
                format!(
                    "createPreview(input: {{ contentId: {post:?} }}) {{ preview {{ token }} userErrors {{ code }} }}"
                )
            }
            1 => "revokePreviews { revokedAt userErrors { code } }".to_owned(),
            2 => {
                let role = match self.random.chance(50) {
                    true => format!("role: AUTHOR, authorSlug: {}", self.term(2)),
                    false => "role: READER".to_owned(),
                };
                format!(
                    "createToken(input: {{ name: \"token {number}\", {role} }}) {{ token {{ id author {{ name }} }} userErrors {{ code }} }}"
                )
            }
            _ => {
                let id = if known.tokens.is_empty() { "token-x" } else { self.random.pick(&known.tokens) };
                format!(
                    "revokeToken(input: {{ id: {id:?} }}) {{ token {{ author {{ name }} }} userErrors {{ code }} }}"
                )
            }
        }
    }

    /// One change; now and then several in one document.
    pub(super) fn mutation(&mut self, number: usize) -> String {
        let count = if self.random.chance(15) { 2 + self.random.below(2) } else { 1 };
        let mut change = |n: usize| {
            let change = match self.random.below(13) {
                0..=5 => self.of_post(number),
                6..=8 => self.of_term(number),
                9..=11 => self.of_page(number),
                _ => self.of_token(number),
            };
            format!("c{n}: {change}")
        };
        let changes: Vec<String> = (0..count).map(&mut change).collect();
        self.declared("mutation", &format!("{{ {} }}", changes.join(" ")))
    }
}
