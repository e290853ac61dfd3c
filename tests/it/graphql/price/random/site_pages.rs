//! Random queries and changes of pages of the site.

use super::Object;
use super::changes::ERRORS;
use super::queries::Writer;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A path of one to three of these names.
pub(super) fn path(random: &mut crate::support::random::Random) -> String {
    let parts: Vec<&str> = (0..=random.below(3)).map(|_| *random.pick(&NAMES)).collect();
    parts.join("/")
}

impl Writer<'_> {
    /// The path of a page, or of none.
    fn path_of_page(&mut self) -> String {
        let known = self.known;
        if known.paths.is_empty() || self.random.chance(20) {
            return format!("{:?}", path(self.random));
        }
        format!("{:?}", self.random.pick(&known.paths))
    }

    pub(super) fn site_page(&mut self, depth: usize) -> String {
        let names = ["id", "title", "path", "status", "excerpt", "body { wordCount }", "metadata", "cover { id }"];
        let mut fields = names.map(str::to_owned).to_vec();
        if depth > 0 {
            let (parent, above) = (self.site_page(depth - 1), self.site_page(depth - 1));
            fields.push(format!("parent {{ {parent} }}"));
            fields.push(format!("breadcrumbs {{ {above} }}"));
            let children = self.connection(depth - 1, Self::site_page);
            fields.push(format!("children{} {{ {children} }}", self.page(None, Vec::new())));
            let version = self.some(["version", "title", "body { wordCount }"].map(str::to_owned).to_vec());
            fields.push(format!("revisions{} {{ nodes {{ {version} }} totalCount }}", ["", "(last: 2)"][depth % 2]));
        }
        self.some(fields)
    }

    pub(super) fn pages_of_site(&mut self, depth: usize) -> String {
        match self.random.below(7) {
            6 => {
                let items = self.connection(depth, Self::site_page);
                format!("scheduledPages{} {{ {items} }}", self.page(None, Vec::new()))
            }
            0 => format!("page(path: {}) {{ {} }}", self.path_of_page(), self.site_page(depth)),
            1 => "pageLinks(atMost: 100) { path title }".to_owned(),
            2 => {
                let known = self.known;
                let id = self.quoted(&known.pages.iter().map(|page| page.id.clone()).collect::<Vec<_>>());
                format!("node(id: {id}) {{ id ... on Page {{ {} }} }}", self.site_page(depth))
            }
            list => {
                let list = ["pages", "pages", "draftPages"][list - 3];
                let more =
                    if self.random.chance(50) { vec![format!("parentPath: {}", self.path_of_page())] } else { vec![] };
                let cursors = Some(4).filter(|_| more.is_empty() && list == "pages");
                format!("{list}{} {{ {} }}", self.page(cursors, more), self.connection(depth, Self::site_page))
            }
        }
    }

    pub(super) fn of_page(&mut self, number: usize) -> String {
        let known = self.known;
        let depth = self.random.below(2);
        let payload = format!("{{ page {{ id {} }} {ERRORS} }}", self.site_page(depth));
        match self.random.below(7) {
            0 | 1 => {
                let mut input = vec![format!("path: {:?}", path(self.random))];
                input.push(["title: \"Title\"", "title: \"\""][usize::from(self.random.chance(10))].to_owned());
                match self.random.below(4) {
                    0 => input.push(format!("publish: {}", self.random.chance(50))),
                    1 => input.push(format!("publishAt: {}", self.publication())),
                    _ => {}
                }
                if self.random.chance(40) {
                    input.push(format!("idempotencyKey: \"key-{}\"", self.random.below(4)));
                }
                format!("createPage(input: {{ {}, markdown: \"x\" }}) {payload}", input.join(", "))
            }
            2 | 3 => {
                let mut input = vec![self.versioned(&known.pages)];
                if self.random.chance(50) {
                    input.push(format!("path: {:?}", path(self.random)));
                }
                if self.random.chance(60) {
                    input.push(format!("title: \"Title {number}\""));
                }
                format!("updatePage(input: {{ {} }}) {payload}", input.join(", "))
            }
            4 => {
                let page = self.versioned(&known.pages);
                match self.random.chance(40) {
                    true => format!("unpublishPage(input: {{ {page} }}) {payload}"),
                    false => format!("publishPage(input: {{ {page}, publishAt: {} }}) {payload}", self.publication()),
                }
            }
            5 => format!("deletePage(input: {{ {} }}) {{ deletedId {ERRORS} }}", self.versioned(&known.pages)),
            _ => {
                let missing = Object { id: "page-0123456789ab".to_owned(), version: 1 };
                let page = if known.pages.is_empty() { &missing } else { self.random.pick(&known.pages) };
                let earlier = 1 + self.random.below(usize::try_from(page.version).unwrap_or(1));
                let revision = format!("{}-{earlier}", page.id.replacen("page-", "revision-", 1));
                format!(
                    "restoreRevision(input: {{ revisionId: {revision:?}, expectedVersion: {} }}) {payload}",
                    page.version
                )
            }
        }
    }
}
