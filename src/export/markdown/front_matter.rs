//! The front matter of a file under construction: the keys that generators know, and after them the table `tidings`,
//! which only an import reads. The rule: each key is one line, so that no value can end the front matter.

use std::fmt::Display;

use super::yaml;

pub(super) struct FrontMatter {
    fields: String,
    table: String,
}

impl FrontMatter {
    /// `kind`: `post`, `page`, or the kind of a term.
    pub(super) fn of(kind: &str) -> Self {
        Self { fields: "---\n".to_owned(), table: format!("tidings:\n  type: {kind}\n") }
    }

    /// Adds a value that is already YAML.
    pub(super) fn put(&mut self, key: &str, value: impl Display) {
        self.fields.push_str(&format!("{}: {value}\n", yaml::key(key)));
    }

    pub(super) fn put_text(&mut self, key: &str, text: &str) {
        self.put(key, yaml::quoted(text));
    }

    pub(super) fn put_some(&mut self, key: &str, text: Option<&str>) {
        text.into_iter().for_each(|text| self.put_text(key, text));
    }

    /// Writes nothing for an empty list.
    pub(super) fn put_list<'t>(&mut self, key: &str, texts: impl IntoIterator<Item = &'t str>) {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.put(key, yaml::list(texts));
        }
    }

    /// Adds a value that is already YAML to the table `tidings`.
    pub(super) fn put_own(&mut self, key: &str, value: impl Display) {
        self.table.push_str(&format!("  {key}: {value}\n"));
    }

    pub(super) fn put_own_some(&mut self, key: &str, text: Option<&str>) {
        text.into_iter().for_each(|text| self.put_own(key, yaml::quoted(text)));
    }

    pub(super) fn put_own_id(&mut self, id: Option<&str>, version: Option<i32>) {
        self.put_own_some("id", id);
        version.into_iter().for_each(|version| self.put_own("version", version));
    }

    pub(super) fn with_body(self, body: &str) -> String {
        [&self.fields, &self.table, "---\n", body].concat()
    }
}
