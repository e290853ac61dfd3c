//! Resolves links. The rule: an address is resolved as a browser resolves it on the page of the post; only a link to a Markdown file is resolved relative to
//! the source file.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::model::feed_path::{self, FeedOf, FeedPath};
use crate::model::site::{SiteAddresses, SitePaths};
use crate::model::{AssetHash, AssetName, TermKind};

use super::body::Source;
use super::targets::{State, Targets};

/// The placeholder for an unknown site address; nothing on the Internet has this host (RFC 2606).
const UNKNOWN_SITE: &str = "http://site.invalid/";
/// No path of a post or page is longer.
const PATH_BYTES_MAX: usize = 1_000;

/// The result for a link to this site.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judged {
    Found,
    /// A picture, which may be missing.
    Picture(AssetHash),
    /// A dangling link, with the reason.
    Nowhere(String),
}

/// The target of a link to a Markdown file.
#[derive(Clone, Copy)]
enum FileTarget {
    /// A file from which a post or page was imported.
    File(State),
    UnknownFile,
    /// The link is not from a file to a Markdown file.
    NoFile,
}

pub(super) struct Resolver {
    addresses: SiteAddresses,
    /// The address of the site, with a slash at its end.
    site: Url,
    targets: Targets,
}

impl Resolver {
    pub(super) fn new(addresses: SiteAddresses, targets: Targets) -> Self {
        let site = addresses.url.as_ref().map_or(UNKNOWN_SITE, |url| url.as_str());
        let site = Url::parse(site).expect("the address of a site is a URL");
        Self { addresses, site, targets }
    }

    pub(super) fn paths(&self) -> &SitePaths {
        &self.addresses.paths
    }

    /// `None` if the link is to another site. `ids`: the ids of the elements in the body.
    pub(super) fn judge(&self, source: &Source, link: &str, ids: &HashSet<String>) -> Option<Judged> {
        if is_template(link) {
            return nowhere("it is a template of a site generator, which nothing fills in");
        }
        if let Some(id) = link.strip_prefix('#') {
            return Some(of_id(id, ids));
        }
        let file = self.of_file(source, link);
        if let FileTarget::File(state) = file {
            return Some(self.of_state(state));
        }
        let page = self.site.join(source.path.trim_start_matches('/')).ok();
        let Some(Ok(url)) = page.as_ref().map(|page| page.join(link)) else { return nowhere("it is not a URL") };
        if !self.is_of_site(&url) {
            return None;
        }
        // A path outside the folder of the site belongs to another site.
        let below = url.path().strip_prefix(self.site.path())?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("/{}{query}", percent_decode_str(below).decode_utf8_lossy());
        let is_same = page.is_some_and(|page| page.path() == url.path() && page.query() == url.query());
        Some(match (is_same, url.fragment()) {
            (true, Some(id)) => of_id(id, ids),
            (true, None) => Judged::Found,
            _ => self.of_path(&path).unwrap_or_else(|| match file {
                FileTarget::UnknownFile => Judged::Nowhere("no post or page was imported from this file".to_owned()),
                FileTarget::File(_) | FileTarget::NoFile => self.of_unknown(&path),
            }),
        })
    }

    /// Whether the host is that of the site, by http or by https.
    fn is_of_site(&self, url: &Url) -> bool {
        let (port, of_site) = (url.port_or_known_default(), self.site.port_or_known_default());
        let has_default = |url: &Url| url.port().is_none();
        url.host_str() == self.site.host_str()
            && matches!(url.scheme(), "http" | "https")
            && (port == of_site || has_default(url) && has_default(&self.site))
    }

    /// Resolves a link from a file to a Markdown file.
    fn of_file(&self, source: &Source, link: &str) -> FileTarget {
        let path = link.split(['#', '?']).next().unwrap_or_default();
        let is_markdown = [".md", ".mdx", ".markdown"].iter().any(|ending| path.ends_with(ending));
        let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':')) || path.starts_with("//");
        let Some(origin) = source.origin.as_deref().filter(|_| is_markdown && !has_scheme) else {
            return FileTarget::NoFile;
        };
        let path = percent_decode_str(path).decode_utf8_lossy();
        let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { origin.split('/').collect() };
        parts.pop();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        self.targets.file(&parts.join("/")).map_or(FileTarget::UnknownFile, FileTarget::File)
    }

    /// `None` if nothing has the path, which includes the query.
    fn of_path(&self, path: &str) -> Option<Judged> {
        let plain = path.split('?').next().unwrap_or_default();
        if feed_path::is_sitemap(plain) {
            return Some(Judged::Found);
        }
        if let Some(name) = plain.strip_prefix("/assets/").and_then(|name| name.parse::<AssetName>().ok()) {
            return Some(Judged::Picture(name.hash));
        }
        if let Some(FeedPath { of, .. }) = FeedPath::parse(plain) {
            let exists = match of {
                Some(FeedOf::Term(kind, slug)) => self.targets.has_term(kind, &slug),
                Some(FeedOf::Language(_)) | None => true,
            };
            return exists.then_some(Judged::Found);
        }
        if path.len() > PATH_BYTES_MAX {
            return None;
        }
        let paths = self.paths();
        let page = || paths.find_page(path, |path| self.targets.page(path));
        let post = || {
            paths.find_post(path, |slug| {
                let state = self.targets.post(slug)?;
                let State::Published(at) = state else { return Some(state) };
                paths.is_path_of_post(path, slug, at.to_chrono()).then_some(state)
            })
        };
        let term = || {
            let has = |kind: &TermKind| {
                let is_one = |slug: &str| self.targets.has_term(*kind, slug).then_some(());
                paths.find_term(*kind, path, is_one).is_some()
            };
            TermKind::ALL.iter().any(has).then_some(Judged::Found)
        };
        // A published post or page takes precedence over a draft with the same address.
        let states = [page(), post()];
        let published = states.iter().flatten().find(|state| matches!(state, State::Published(_)));
        let best = published.or_else(|| states.iter().flatten().next());
        match best {
            Some(State::Published(_)) => Some(Judged::Found),
            _ if plain == "/" => Some(Judged::Found),
            best => term().or_else(|| best.map(|state| self.of_state(*state))),
        }
    }

    fn of_state(&self, state: State) -> Judged {
        match state {
            State::Published(_) => Judged::Found,
            State::Scheduled => Judged::Nowhere("it is scheduled and not published yet".to_owned()),
            State::Draft => Judged::Nowhere("it is a draft".to_owned()),
        }
    }

    /// The result for an unknown path. It suggests the post whose slug is the last part of the path, because addresses of other systems often end like that.
    fn of_unknown(&self, path: &str) -> Judged {
        let last = without_slash(path).rsplit('/').next().unwrap_or_default();
        let slug = [".html", ".htm", ".md"].iter().find_map(|ending| last.strip_suffix(ending)).unwrap_or(last);
        match self.targets.post(slug) {
            Some(State::Published(at)) => {
                let address = self.paths().path_of_post(slug, at.to_chrono());
                Judged::Nowhere(format!("nothing has this address; the post {slug} has {address}"))
            }
            _ => Judged::Nowhere("no post, page, picture or feed has this address".to_owned()),
        }
    }
}

fn nowhere(reason: &str) -> Option<Judged> {
    Some(Judged::Nowhere(reason.to_owned()))
}

/// The path without its query and the slash at its end.
fn without_slash(path: &str) -> &str {
    path.split('?').next().unwrap_or_default().trim_end_matches('/')
}

/// Whether the address has template marks of Liquid, Go or Nunjucks, plain or percent-encoded.
fn is_template(link: &str) -> bool {
    let link = link.to_ascii_lowercase();
    let has_mark = ["{{", "{%", "%7b%7b", "%7b%25"].iter().any(|mark| link.contains(mark));
    // A percent sign before two digits encodes another character, such as that of `{}` in a query.
    let is_digits = |next: &str| next.bytes().all(|byte| byte.is_ascii_hexdigit());
    has_mark || link.split("%7b%").skip(1).any(|rest| !rest.get(..2).is_some_and(is_digits))
}

/// An empty id, and `top`, name the beginning of the page (HTML, "Scrolling to a fragment").
fn of_id(id: &str, ids: &HashSet<String>) -> Judged {
    let decoded = percent_decode_str(id).decode_utf8_lossy();
    let exists = id.is_empty() || decoded.eq_ignore_ascii_case("top") || ids.contains(id) || ids.contains(&*decoded);
    if exists { Judged::Found } else { Judged::Nowhere("nothing in the text has this id".to_owned()) }
}
