//! One row of `posts.csv`. The rule: columns are found by name, because newer exports have more; a row with another number of fields than the header
//! is damaged.

use crate::csv::records;
use crate::words::has_word;

/// A file without this column is not a table of Substack.
pub(super) const ID: &str = "post_id";

/// The columns that Substack is known to write. The times at which a post was sent are not content.
const KNOWN: &str =
    "post_id post_date is_published email_sent_at inbox_sent_at type audience title subtitle podcast_url";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// `<number>.<slug>`, the name of the body's file.
    pub id: String,
    pub date: String,
    pub is_published: bool,
    pub kind: String,
    pub audience: String,
    pub title: String,
    pub subtitle: String,
    pub podcast_url: String,
}

impl Row {
    /// The part of the id before the slug: the number that Substack gave to the post.
    pub(super) fn number(&self) -> &str {
        self.id.split_once('.').map_or(&self.id, |(number, _)| number)
    }

    pub(super) fn slug(&self) -> Option<&str> {
        self.id.split_once('.').map(|(_, slug)| slug).filter(|slug| !slug.is_empty())
    }
}

/// The rows of the table, and its unknown columns.
pub(super) struct Table {
    pub rows: Vec<Result<Row, (usize, String)>>,
    pub unknown: Vec<String>,
}

/// An error for the whole table has a line number and a reason.
pub(super) fn table(text: &str) -> Result<Table, (usize, String)> {
    let records = records(text).map_err(|(line, reason)| (line, reason.to_owned()))?;
    let mut records = records.into_iter();
    let header = records.next().map(|(_, fields)| fields).unwrap_or_default();
    let columns: Vec<String> = header.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
    if !columns.iter().any(|column| column == ID) {
        return Err((1, format!("there is no column {ID}")));
    }
    let unknown = columns.iter().filter(|column| !has_word(KNOWN, column)).cloned().collect();
    Ok(Table { rows: records.map(|record| row(&columns, record)).collect(), unknown })
}

fn row(columns: &[String], (line, fields): (usize, Vec<String>)) -> Result<Row, (usize, String)> {
    if fields.len() != columns.len() {
        let reason = format!("has {} fields, but the header has {}; is the file cut off?", fields.len(), columns.len());
        return Err((line, reason));
    }
    let field = |name: &str| {
        let at = columns.iter().position(|column| column == name);
        at.map_or_else(String::new, |at| fields[at].trim().to_owned())
    };
    let row = Row {
        id: field(ID),
        date: field("post_date"),
        is_published: field("is_published").eq_ignore_ascii_case("true"),
        kind: field("type").to_ascii_lowercase(),
        audience: field("audience").to_ascii_lowercase(),
        title: field("title"),
        subtitle: field("subtitle"),
        podcast_url: field("podcast_url"),
    };
    let number = row.number();
    match !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && !row.id.contains(['/', '\\']) {
        true => Ok(row),
        false => Err((
            line,
            format!("its {ID} {:?} does not begin with a number", row.id.chars().take(100).collect::<String>()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names_and_unknown_ones_are_named() {
        let table = table("title,Post_ID,is_published,new\nA,12.a-b,TRUE,x\n").expect("a table");
        let row = table.rows[0].as_ref().expect("a row");
        assert_eq!((row.number(), row.slug(), row.title.as_str(), row.is_published), ("12", Some("a-b"), "A", true));
        assert_eq!((table.unknown.as_slice(), row.audience.as_str()), (&["new".to_owned()][..], ""));
    }

    #[test]
    fn a_damaged_row_does_not_affect_others() {
        let table = table("post_id,title\n1.a,A\n2.b\nx,C\n../3,D\n4.,E\n").expect("a table");
        let lines: Vec<_> = table.rows.iter().filter_map(|row| row.as_ref().err()).map(|(line, _)| *line).collect();
        assert_eq!((lines, table.rows.len()), (vec![3, 4, 5], 5));
        assert_eq!(table.rows[4].as_ref().expect("a row").slug(), None);
        assert!(super::table("id,title\n").is_err() && super::table("").is_err());
    }
}
