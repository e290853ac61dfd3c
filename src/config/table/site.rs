//! The settings of the web site that shows the content.

use super::{items, number, text};
use crate::config::Setting;
use crate::http::settings::FEED_POSTS_MAX;
use crate::model::site;

settings! {
    /// The address, and the settings that need it.
    pub static NEED_URL;
    pub static URL: Setting = text(
        "site.url",
        "URL",
        "The address of the web site that shows the content, for its feeds, its sitemap and the field canonicalUrl. Not set: there are none.",
    )
    .flag("site-url");
    pub static POST_PATH: Setting = text(
        "site.post_path",
        "PATH",
        "With the address: where the site shows a post; {year}, {month} and {day} are those of its publication, in site.time_zone.",
    )
    .default(site::POST_PATH);
    pub static PAGE_PATH: Setting = text(
        "site.page_path",
        "PATH",
        "With the address: where the site shows a page of the tree of pages; {path} is the path of the page.",
    )
    .default(site::PAGE_PATH);
    pub static TAG_PATH: Setting =
        text("site.tag_path", "PATH", "With the address: where the site shows the posts of a tag.")
            .default(site::TAG_PATH);
    pub static CATEGORY_PATH: Setting =
        text("site.category_path", "PATH", "With the address: where the site shows the posts of a category.")
            .default(site::CATEGORY_PATH);
    pub static AUTHOR_PATH: Setting =
        text("site.author_path", "PATH", "With the address: where the site shows the posts of an author.")
            .default(site::AUTHOR_PATH);
    pub static SERIES_PATH: Setting =
        text("site.series_path", "PATH", "With the address: where the site shows the posts of a series.")
            .default(site::SERIES_PATH);
    pub static FEED_CONTENT: Setting = text(
        "site.feed_content",
        "CONTENT",
        "With the address: how much of a post its feeds contain: full, the whole text; excerpt, its summary.",
    )
    .default("full");
    pub static FEED_POSTS: Setting = number(
        "site.feed_posts",
        (1, FEED_POSTS_MAX),
        || 20,
        "With the address: how many posts a feed contains, the newest.",
    );
}

settings! {
    /// The settings of a site that need no address.
    pub static OTHERS;
    pub static NAME: Setting = text(
        "site.name",
        "NAME",
        "The name of the site, which is the title of its feeds. Not set: the host of its address, or Tidings.",
    );
    pub static DESCRIPTION: Setting =
        text("site.description", "TEXT", "What the site is about, for its feeds.");
    pub static LANGUAGE: Setting = text(
        "site.language",
        "LANGUAGE",
        "The language of the posts by BCP 47, such as en or pt-BR, for its feeds.",
    );
    pub static IMAGE: Setting = text(
        "site.image",
        "ID",
        "The id of the picture for links to pages without a cover, for the field Site.image.",
    );
    pub static NAVIGATION: Setting = items(
        "site.navigation",
        "JSON",
        "The menu of the site, for the field Site.navigation: items with label, url, and at most one level of children. In the file a table for each, elsewhere a list in JSON.",
    );
    pub static TIME_ZONE: Setting = text(
        "site.time_zone",
        "ZONE",
        "The time zone of the site by its name in the IANA database, such as Europe/Berlin: of the dates in the paths of posts, of dates without a zone in what is imported, and of the field Site.timeZone. The months of the archive are always those of UTC.",
    )
    .default("UTC");
    pub static FIELDS: Setting = text(
        "site.fields",
        "FILE",
        "A file in GraphQL's schema language that declares fields of posts and pages: extend type PostFields, extend type PageFields. Not set: there are none.",
    )
    .flag("site-fields");
}
