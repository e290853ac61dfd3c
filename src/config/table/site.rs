//! The settings of the web site that shows the content.

use super::{items, number, text};
use crate::http::settings::FEED_POSTS_MAX;
use crate::model::site;

settings! {
    /// The address, and the settings that need it.
    NEED_URL:
    URL = text("site.url", "URL").flag("site-url"),
        "The address of the web site that shows the content, for its feeds, its sitemap and the field canonicalUrl. Not set: there are none.";
    POST_PATH = text("site.post_path", "PATH").default(site::POST_PATH),
        "With the address: where the site shows a post; {year}, {month} and {day} are those of its publication, in site.time_zone.";
    PAGE_PATH = text("site.page_path", "PATH").default(site::PAGE_PATH),
        "With the address: where the site shows a page of the tree of pages; {path} is the path of the page.";
    TAG_PATH = text("site.tag_path", "PATH").default(site::TAG_PATH),
        "With the address: where the site shows the posts of a tag.";
    CATEGORY_PATH = text("site.category_path", "PATH").default(site::CATEGORY_PATH),
        "With the address: where the site shows the posts of a category.";
    AUTHOR_PATH = text("site.author_path", "PATH").default(site::AUTHOR_PATH),
        "With the address: where the site shows the posts of an author.";
    SERIES_PATH = text("site.series_path", "PATH").default(site::SERIES_PATH),
        "With the address: where the site shows the posts of a series.";
    FEED_CONTENT = text("site.feed_content", "CONTENT").default("full"),
        "With the address: how much of a post its feeds contain: full, the whole text; excerpt, its summary.";
    FEED_POSTS = number("site.feed_posts", (1, FEED_POSTS_MAX), || 20),
        "With the address: how many posts a feed contains, the newest.";
}

settings! {
    /// The settings of a site that need no address.
    OTHERS:
    NAME = text("site.name", "NAME"),
        "The name of the site, which is the title of its feeds. Not set: the host of its address, or Tidings.";
    DESCRIPTION = text("site.description", "TEXT"), "What the site is about, for its feeds.";
    LANGUAGE = text("site.language", "LANGUAGE"),
        "The language of the posts by BCP 47, such as en or pt-BR, for its feeds.";
    IMAGE = text("site.image", "ID"),
        "The id of the picture for links to pages without a cover, for the field Site.image.";
    NAVIGATION = items("site.navigation", "JSON"),
        "The menu of the site, for the field Site.navigation: items with label, url, and at most one level of children. In the file a table for each, elsewhere a list in JSON.";
    TIME_ZONE = text("site.time_zone", "ZONE").default("UTC"),
        "The time zone of the site by its name in the IANA database, such as Europe/Berlin: of the dates in the paths of posts, of dates without a zone in what is imported, and of the field Site.timeZone. The months of the archive are always those of UTC.";
    FIELDS = text("site.fields", "FILE").flag("site-fields"),
        "A file in GraphQL's schema language that declares fields of posts and pages: extend type PostFields, extend type PageFields. Not set: there are none.";
}
