//! Names that an id must not have. A browser makes an element with an id a property of `window`, so an id can replace a value that a script of the site
//! looks up (DOM clobbering). The rule: an id with a hyphen is harmless, because no script looks up such a name; any other id is harmless only if it is
//! written as the ids of headings are, and is not on this list.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether no script looks up this name. Names with capitals, `_` or `$` at the start are those of scripts; those of headings have none.
pub(super) fn is_harmless(id: &str) -> bool {
    let is_written_as_of_headings = || id.starts_with(char::is_alphanumeric) && !id.contains(char::is_uppercase);
    !id.is_empty()
        && !id.contains(char::is_whitespace)
        && (id.contains('-') || is_written_as_of_headings() && !NAMES.contains(id))
}

static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

/// Properties of `window`, `document`, elements, forms and objects in lower case, and common names of scripts. Not every name that some script may use:
/// the authors of posts are the site's own, and `#usage` must work.
const WORDS: &str = "\
    acceptcharset action alert all anchors animate app append applets apply args arguments async atob attributes await baseuri before blur \
    body bootstrap btoa cache caches call callback caller characterset charset children clear click client clipboard clone close closed \
    closest config confirm console constructor contains context cookie cookies crypto currentscript dataset define dir directory doctype \
    document documentelement documenturi domain draggable element elements embeds enctype env environment escape eval events exports \
    external fbq fetch firebase firstchild focus form forms frameelement frames function ga global globals google googletag gtag head \
    height hidden hide history host hostname href i18n id images implementation index inert init innerheight innerhtml innerwidth input \
    isfinite isnan jquery json key keys lang lastchild length links localstorage location lodash matches math menubar method methods module \
    modules moment moveby moveto name names navigation navigator nextsibling nodename nodes nodetype nodevalue normalize novalidate object \
    onload open opener origin outerhtml owner parent parentelement parentnode parse path performance personalbar phantom play postmessage \
    prepend previoussibling print process promise prompt prototype proxy react redux referrer reflect reload remove replace require reset \
    screen script scripts scroll scrollbars search select self send session settings show signal site spellcheck src status statusbar stop \
    style stylesheets submit tabindex tagname target textcontent then timeout title toggle toolbar top tostring track tracker type unescape \
    value valueof version visibilitystate vue webpack width window write writeln xhr";

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn a_name_that_scripts_look_up_is_refused() {
        for id in ["location", "cookie", "config", "submit", "constructor", "_gaq", "$", "dataLayer", "", "a b"] {
            assert!(!is_harmless(id), "{id}");
        }
        for id in ["installation", "user_id", "2024", "getting-started", "dataLayer-1", "übersicht", "天文"] {
            assert!(is_harmless(id), "{id}");
        }
    }
}
