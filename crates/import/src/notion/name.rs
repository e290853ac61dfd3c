//! The names of pages: a title and an id of 32 hexadecimal digits. The rule: only a name that ends with such an id is a page, and only the id
//! identifies it, because titles change and are cut.

use percent_encoding::percent_decode_str;

const DIGITS: usize = 32;

/// The servers of Notion, and the domain of the sites that it publishes.
const HOSTS: &[&str] = &["notion.so", "www.notion.so", "app.notion.com"];
const SITES: &str = ".notion.site";

pub(super) type PageId = u128;

/// Identifies a page in later imports.
pub(super) fn origin(id: PageId) -> String {
    format!("notion:{id:032x}")
}

/// Splits a name without its extension, such as `On time 0123…`, into title and id.
pub(super) fn split(stem: &str) -> Option<(&str, PageId)> {
    let (title, id) = at_end(stem)?;
    if title.is_empty() {
        return Some((title, id));
    }
    let title = title.strip_suffix([' ', '_'])?;
    Some((title.trim(), id))
}

/// The title and id in the path of a page's file.
pub(super) fn of_page(file: &str) -> Option<(&str, PageId)> {
    let name = file.rsplit('/').next()?;
    split(name.strip_suffix(".md")?)
}

/// The id in the address of a link to a page: the path of its file, or its address on a server of Notion.
pub(super) fn id_of_address(address: &str) -> Option<PageId> {
    let path = address.split(['?', '#']).next()?;
    let path = match path.strip_prefix("https://").or_else(|| path.strip_prefix("http://")) {
        Some(rest) => {
            let (host, path) = rest.split_once('/')?;
            let is_of_notion = HOSTS.contains(&host) || host.ends_with(SITES);
            is_of_notion.then_some(path)?
        }
        None => path.strip_suffix(".md").filter(|path| !path.starts_with('/'))?,
    };
    let name = percent_decode_str(path.rsplit('/').next()?).decode_utf8().ok()?;
    let (before, id) = at_end(&name)?;
    (before.is_empty() || before.ends_with([' ', '_', '-'])).then_some(id)
}

/// The title in the address of a link to a page.
pub(super) fn title_of_address(address: &str) -> Option<String> {
    id_of_address(address)?;
    let path = address.split(['?', '#']).next()?;
    let name = percent_decode_str(path.strip_suffix(".md").unwrap_or(path).rsplit('/').next()?).decode_utf8().ok()?;
    let (title, _) = at_end(&name)?;
    let title = if address.contains("://") { title.replace('-', " ") } else { title.to_owned() };
    Some(title.trim().to_owned()).filter(|title| !title.is_empty())
}

fn at_end(name: &str) -> Option<(&str, PageId)> {
    let start = name.len().checked_sub(DIGITS).filter(|start| name.is_char_boundary(*start))?;
    let (before, digits) = name.split_at(start);
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    are_digits.then(|| PageId::from_str_radix(digits, 16).ok()).flatten().map(|id| (before, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn a_page_is_a_file_with_an_id_at_the_end_of_its_name() {
        for (file, title) in [
            (format!("Blog/On time {ID}.md"), Some("On time")),
            (format!("a/On_time_{ID}.md"), Some("On_time")),
            (format!("{ID}.md"), Some("")),
            (format!("Über uns {ID}.md"), Some("Über uns")),
            (format!("on-time-{ID}.md"), None),
            (format!("On time {ID}.csv"), None),
            (format!("On time {}.md", ID.to_uppercase()), None),
            ("On time.md".to_owned(), None),
            (format!("é{}.md", &ID[1..]), None),
        ] {
            let found = of_page(&file);
            assert_eq!(found.map(|(title, _)| title), title, "{file}");
            assert!(found.is_none_or(|(_, id)| origin(id) == format!("notion:{ID}")), "{file}");
        }
    }

    #[test]
    fn a_link_to_a_page_has_its_id() {
        for (address, title) in [
            (format!("../Blog/On%20time%20{ID}.md#x"), Some("On time")),
            (format!("https://www.notion.so/On-time-{ID}?pvs=21"), Some("On time")),
            (format!("https://www.notion.so/team/{ID}#{ID}"), None),
            (format!("https://ada.notion.site/On-time-{ID}"), Some("On time")),
        ] {
            assert_eq!(id_of_address(&address).map(origin), Some(format!("notion:{ID}")), "{address}");
            assert_eq!(title_of_address(&address).as_deref(), title, "{address}");
        }
        for address in [
            format!("https://other.example/On-time-{ID}"),
            format!("On%20time%20{ID}.csv"),
            format!("https://www.notion.so/On-time{ID}"),
            format!("/On%20time%20{ID}.md"),
            "on-time.md".to_owned(),
            String::new(),
        ] {
            assert_eq!((id_of_address(&address), title_of_address(&address)), (None, None), "{address}");
        }
    }
}
