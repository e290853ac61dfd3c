//! Splits the file of a page into its title, its database properties, and its text. The rule: anything that may be a paragraph of the text is not a property,
//! and nothing is lost.

use tidings_model::markdown;

use super::fields;

/// The longest property name that is read without the table of its database.
const NAME_CHARS_MAX: usize = 60;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageText<'t> {
    pub title: Option<String>,
    /// In the order of the file.
    pub properties: Vec<(String, String)>,
    pub body: &'t str,
}

/// `columns`: the properties of the database, if the page is in one and the export contains its table.
pub(super) fn read<'t>(text: &'t str, columns: Option<&[String]>) -> PageText<'t> {
    let start = text.trim_start_matches(['\r', '\n']);
    let (line, rest) = start.split_once('\n').unwrap_or((start, ""));
    let (title, rest) = match line.trim_end() {
        heading if heading == "#" || heading.starts_with("# ") => (markdown::first_heading(heading), rest),
        _ => (None, start),
    };
    let rest = rest.trim_start_matches(['\r', '\n']);
    let paragraph = &rest[..end_of_paragraph(rest)];
    let found = match columns {
        Some(columns) => of_database(paragraph, columns),
        None => of_unknown(paragraph),
    };
    match found {
        Some(properties) => {
            let body = rest[paragraph.len()..].trim_start_matches(['\r', '\n']);
            PageText { title, properties, body }
        }
        None => PageText { title, properties: Vec::new(), body: rest },
    }
}

/// The position of the first blank line.
fn end_of_paragraph(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    end
}

/// Reads properties with these names. A line without a name continues the value before it. `None` if the first line has no name.
fn of_database(paragraph: &str, columns: &[String]) -> Option<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in paragraph.lines() {
        let named = columns.iter().filter_map(|name| Some((name, value(line.strip_prefix(name.as_str())?)?)));
        match named.max_by_key(|(name, _)| name.len()) {
            Some((name, value)) => found.push((name.clone(), value.to_owned())),
            None => {
                let (_, value) = found.last_mut()?;
                value.push('\n');
                value.push_str(line.trim_end());
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Reads the properties of a page whose database is not in the export: every line must have a name and a value, and one of the names must be known.
fn of_unknown(paragraph: &str) -> Option<Vec<(String, String)>> {
    let property = |line: &str| {
        let (name, _) = line.split_once(':')?;
        let is_name = name.starts_with(char::is_alphanumeric) && name.chars().count() <= NAME_CHARS_MAX;
        let value = value(&line[name.len()..]).filter(|_| is_name)?;
        Some((name.to_owned(), value.to_owned()))
    };
    let found: Vec<_> = paragraph.lines().map(property).collect::<Option<_>>()?;
    found.iter().any(|(name, _)| fields::is_known(name)).then_some(found)
}

/// Reads a colon, and a value after a space.
fn value(rest: &str) -> Option<&str> {
    let value = rest.strip_prefix(':')?;
    (value.trim().is_empty() || value.starts_with(' ')).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn pairs(found: &PageText<'_>) -> Vec<(String, String)> {
        found.properties.clone()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn properties_are_between_the_title_and_the_text() {
        let text = "# On *time*\r\n\r\nDate: January 2, 2024\nNotes: a: b\nsecond line\nNotes: more: c\n: d\n\nDate: not one\n";
        let found = read(text, Some(&columns(&["Date", "Notes", "Notes: more", ""])));
        let expected = [
            pair("Date", "January 2, 2024"),
            pair("Notes", "a: b\nsecond line"),
            pair("Notes: more", "c"),
            pair("", "d"),
        ];
        assert_eq!((found.title.as_deref(), pairs(&found)), (Some("On time"), expected.to_vec()));
        assert_eq!(found.body, "Date: not one\n");
    }

    #[test]
    fn a_paragraph_that_names_no_property_is_text() {
        for (text, body) in [
            ("# A\n\nNote: remember this.\n", "Note: remember this.\n"),
            ("# A\n\nDate: today\nand more\n", "Date: today\nand more\n"),
            ("# A\n\n- Date: x\n", "- Date: x\n"),
            ("Date:x\n\nb", "Date:x\n\nb"),
            ("## A\n\nb", "## A\n\nb"),
            ("# A", ""),
            ("", ""),
        ] {
            let found = read(text, None);
            assert_eq!((found.body, found.properties.len()), (body, 0), "{text}");
        }
        let found = read("# A\n\nOther: x\nb\n", Some(&columns(&["Date"])));
        assert_eq!((found.body, found.properties.len()), ("Other: x\nb\n", 0));
    }

    #[test]
    fn without_a_table_a_known_name_makes_the_lines_properties() {
        let found = read("# A\n\nTags: x, y\nMood:\nSource: https://a.example/\n\nb\n", None);
        let expected = [pair("Tags", "x, y"), pair("Mood", ""), pair("Source", "https://a.example/")];
        assert_eq!((pairs(&found), found.body), (expected.to_vec(), "b\n"));
        assert_eq!(read("# \n\nb", None), PageText { title: None, properties: Vec::new(), body: "b" });
    }
}
