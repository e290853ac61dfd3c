//! The tables of an export, one for each database. The rule: a table says which properties its pages have; the values come from the pages themselves.

use std::collections::HashMap;
use std::path::Path;

use crate::csv;
use crate::export_files;
use crate::found::FoundContent;
use crate::paths::joined;

use super::name;

/// The end of the name of a table with all rows and properties. The table without it shows only the view that was open.
const ALL: &str = "_all";

#[derive(Debug)]
struct Database {
    /// The path of the table.
    file: String,
    /// The properties except the title.
    columns: Vec<String>,
    rows: usize,
    /// How many files of its pages the export contains.
    pages: usize,
}

#[derive(Debug, Default)]
pub(super) struct Databases {
    tables: Vec<Database>,
    /// The index of a table by the folder of its pages.
    by_folder: HashMap<String, usize>,
}

impl Databases {
    pub(super) fn read(root: &Path, files: &[String], found: &mut FoundContent) -> Self {
        let mut databases = Self::default();
        // A table with everything follows the table of its view, because `.` precedes `_`.
        for file in files {
            let Some((parent, name, title)) = names_of(file) else { continue };
            match table(root, file) {
                Err(reason) => found.fail(file, reason),
                Ok(table) => {
                    let index = databases.tables.len();
                    databases.tables.push(table);
                    // Newer exports have folder names without ids.
                    for folder in [name, title] {
                        databases.by_folder.insert(joined(parent, folder), index);
                    }
                }
            }
        }
        databases
    }

    /// The properties of the pages in a folder, if it belongs to a database.
    pub(super) fn columns_of(&self, folder: &str) -> Option<&[String]> {
        self.by_folder.get(folder).map(|index| self.tables[*index].columns.as_slice())
    }

    pub(super) fn count(&mut self, folder: &str) {
        if let Some(index) = self.by_folder.get(folder) {
            self.tables[*index].pages += 1;
        }
    }

    /// Reports the rows without a page in the export.
    pub(super) fn report(&self, found: &mut FoundContent) {
        for (index, Database { file, rows, pages, .. }) in self.tables.iter().enumerate() {
            // The table of a view does not count if there is another one.
            let is_current = self.by_folder.values().any(|current| *current == index);
            if let Some(missing) = rows.checked_sub(*pages).filter(|missing| *missing > 0 && is_current) {
                found.note(file, format!("rows without a file of their own are not imported (found: {missing})"));
            }
        }
    }
}

pub(super) fn is_table(file: &str) -> bool {
    names_of(file).is_some()
}

/// The parent folder of a table, and the name of the folder of its pages with and without its id.
fn names_of(file: &str) -> Option<(&str, &str, &str)> {
    let stem = file.strip_suffix(".csv")?;
    let stem = stem.strip_suffix(ALL).unwrap_or(stem);
    let (parent, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let (title, _) = name::split(name)?;
    Some((parent, name, title))
}

fn table(root: &Path, file: &str) -> Result<Database, String> {
    let text = export_files::text(&root.join(file))?;
    let records = csv::records(&text).map_err(|(line, reason)| {
        format!(
            "line {line}: {reason}; without this table, the properties of its pages are read from their files alone"
        )
    })?;
    let mut records = records.into_iter().map(|(_, fields)| fields);
    let header = records.next().unwrap_or_default();
    let columns = header.into_iter().skip(1).map(|name| name.trim().to_owned()).collect();
    Ok(Database { file: file.to_owned(), columns, rows: records.count(), pages: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn the_table_with_everything_says_what_the_pages_of_a_folder_have() {
        let root = tempfile::tempdir().expect("a folder");
        let names =
            [format!("Blog {ID}.csv"), format!("Blog {ID}_all.csv"), format!("Bad {ID}.csv"), "x.csv".to_owned()];
        let texts = ["\u{feff}Name,Date\nA,x\n", "Name,Date, Tags\nA,x,y\n\"B\n\",,\nC,,\n", "Name,\"Da", "a,b"];
        for (name, text) in names.iter().zip(texts) {
            std::fs::write(root.path().join(name), text).expect("a file");
        }
        let (mut found, mut files) = (FoundContent::default(), names.to_vec());
        files.sort();
        let mut databases = Databases::read(root.path(), &files, &mut found);
        for folder in ["Blog", &format!("Blog {ID}")] {
            assert_eq!(databases.columns_of(folder), Some(&["Date".to_owned(), "Tags".to_owned()][..]), "{folder}");
        }
        assert_eq!((databases.columns_of("x"), databases.columns_of("Bad")), (None, None));
        let failed: Vec<_> = found.failed.iter().map(|failed| failed.origin.as_str()).collect();
        assert_eq!(failed, [format!("Bad {ID}.csv")]);
        databases.count("Blog");
        databases.count("elsewhere");
        databases.report(&mut found);
        let notes: Vec<_> = found.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect();
        let text = "rows without a file of their own are not imported (found: 2)";
        assert_eq!(notes, [format!("Blog {ID}_all.csv: {text}")]);
    }
}
