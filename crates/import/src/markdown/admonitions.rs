//! Admonitions of Docusaurus, VitePress and Starlight: `:::note[Title]` up to `:::`. The rule: each becomes a GitHub alert with the same text and
//! title; any other block with colons stays text.

use std::borrow::Cow;

use tidings_model::{html_text, markdown};

use super::mdx::{indentation, item_mark, moved_left};
use super::walk::{closes, fence};

/// The names of admonitions, their alerts, and the titles of those that GitHub does not have.
const KINDS: &[(&str, &str, Option<&str>)] = &[
    ("note", "NOTE", None),
    ("tip", "TIP", None),
    ("important", "IMPORTANT", None),
    ("warning", "WARNING", None),
    ("caution", "CAUTION", None),
    ("info", "NOTE", Some("Info")),
    ("secondary", "NOTE", Some("Note")),
    ("success", "TIP", Some("Success")),
    ("danger", "CAUTION", Some("Danger")),
];

/// The name of VitePress's collapsible block.
const DETAILS: &str = "details";

/// The maximum number of open blocks.
const OPEN_MAX: usize = 20;

/// The column, relative to the surrounding block, at which a line is code.
const CODE_COLUMN: usize = 4;

pub(super) fn as_alerts(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains(":::") {
        return Cow::Borrowed(markdown);
    }
    let mut alerts = Alerts { out: String::with_capacity(markdown.len()), open: Vec::new(), code: None, item: 0 };
    for line in markdown.split_inclusive('\n') {
        alerts.take(line);
    }
    if alerts.open.iter().any(|open| open.kind != Kind::Text) {
        if !alerts.out.ends_with('\n') {
            alerts.out.push('\n');
        }
        alerts.close(0, "\n");
    }
    Cow::Owned(alerts.out)
}

struct Alerts {
    out: String,
    /// The admonitions around the next line.
    open: Vec<Open>,
    /// The mark and length of the fence around the next line.
    code: Option<(char, usize)>,
    /// The column of the content of the last list item.
    item: usize,
}

struct Open {
    colons: usize,
    /// The column of its first line, relative to the surrounding admonition.
    column: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alert(&'static str),
    /// A collapsible block.
    Details,
    Text,
}

impl Alerts {
    fn take(&mut self, line: &str) {
        let written = line.trim_end_matches(['\n', '\r']);
        let (mut rest, end) = (Cow::Borrowed(written), &line[written.len()..]);
        let is_blank = rest.trim().is_empty();
        let mut prefix = String::new();
        for at in 0..self.open.len() {
            let column = self.open[at].column;
            // A line to the left of the list item that contains the admonition ends both.
            if !is_blank && indentation(&rest).0 < column {
                self.close(at, "\n");
                break;
            }
            prefix.push_str(&self.open[at].prefix());
            rest = Cow::Owned(moved_left(&rest, column));
        }
        let text = rest.trim();
        if let Some((mark, length)) = self.code {
            if closes(text, mark, length) {
                self.code = None;
            }
            return self.put(&prefix, &rest, end);
        }
        let (column, _) = indentation(&rest);
        let is_code = column >= self.item + CODE_COLUMN;
        if let (false, Some(colons)) = (is_code, closing(text))
            && let Some(at) = self.open.iter().rposition(|open| open.colons <= colons)
        {
            if self.open[at].kind == Kind::Text {
                self.put(&prefix, &rest, end);
            }
            return self.close(at, end);
        }
        if let (false, Some((open, title))) = (is_code || self.open.len() >= OPEN_MAX, opening(text, column)) {
            return self.begin(&prefix, open, title.trim(), &rest, end);
        }
        self.code = fence(text).filter(|_| !is_code);
        if let Some((_, width)) = item_mark(text, column) {
            self.item = column + width;
        } else if !is_blank && column == 0 {
            self.item = 0;
        }
        self.put(&prefix, &rest, end);
    }

    fn put(&mut self, prefix: &str, rest: &str, end: &str) {
        let line = format!("{prefix}{rest}");
        self.out.push_str(if rest.is_empty() { line.trim_end() } else { &line });
        self.out.push_str(end);
    }

    /// `line`: the first line of the block, which stays unless it is an admonition.
    fn begin(&mut self, prefix: &str, open: Open, title: &str, line: &str, end: &str) {
        let indent = " ".repeat(open.column);
        match open.kind {
            Kind::Alert(alert) if title.is_empty() => self.put(prefix, &format!("{indent}> [!{alert}]"), end),
            Kind::Alert(alert) => self.put(prefix, &format!("{indent}> [!{alert}] {title}"), end),
            Kind::Details => {
                let title = if title.is_empty() { "Details".into() } else { html_text::escape(title) };
                self.put(prefix, &format!("{indent}<details><summary>{title}</summary>"), end);
                self.put(prefix, "", end);
            }
            Kind::Text => self.put(prefix, line, end),
        }
        self.open.push(open);
        self.item = 0;
    }

    /// Ends this admonition and those inside it, with an empty line so that the next line does not continue their paragraph.
    fn close(&mut self, at: usize, end: &str) {
        for open in self.open.split_off(at).into_iter().rev().filter(|open| open.kind != Kind::Text) {
            let prefix: String = self.open.iter().map(Open::prefix).collect();
            if open.kind == Kind::Details {
                self.put(&prefix, "", end);
                self.put(&prefix, &format!("{}</details>", " ".repeat(open.column)), end);
            }
            self.put(&prefix, "", end);
        }
        self.item = 0;
    }
}

impl Open {
    /// The start of each line inside it.
    fn prefix(&self) -> String {
        let mark = if matches!(self.kind, Kind::Alert(_)) { "> " } else { "" };
        format!("{}{mark}", " ".repeat(self.column))
    }
}

/// The number of colons, if the line contains nothing else.
fn closing(text: &str) -> Option<usize> {
    (text.len() >= 3 && text.bytes().all(|byte| byte == b':')).then_some(text.len())
}

/// Reads `:::note`, `:::note[Title]{.class}`, `:::note Title` or `::: note {title="Title"}`. Returns the title, too.
fn opening(text: &str, column: usize) -> Option<(Open, Cow<'_, str>)> {
    let rest = text.trim_start_matches(':');
    let colons = text.len() - rest.len();
    let rest = rest.trim_start();
    let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (name, after) = rest.split_at(length);
    if colons < 3 || rest.is_empty() {
        return None;
    }
    let is_name = after.is_empty() || after.starts_with(['[', '{', ' ', '\t']);
    let known = KINDS.iter().find(|(known, ..)| is_name && known.eq_ignore_ascii_case(name));
    let (kind, own) = match known {
        Some((_, alert, own)) => (Kind::Alert(alert), own.unwrap_or_default()),
        None if is_name && name.eq_ignore_ascii_case(DETAILS) => (Kind::Details, ""),
        None => (Kind::Text, ""),
    };
    let given = title(after.trim());
    let column = if kind == Kind::Text { 0 } else { column };
    Some((Open { colons, column, kind }, if given.is_empty() { Cow::Borrowed(own) } else { given }))
}

/// The title after the name, as plain text, because an alert title contains no Markdown.
fn title(text: &str) -> Cow<'_, str> {
    let written = match text.strip_prefix('[') {
        Some(inside) => inside.rsplit_once(']').map_or(inside, |(title, _)| title),
        None => match text.split_once('{') {
            Some((before, attributes)) if before.trim().is_empty() => attributes
                .split_once("title=\"")
                .and_then(|(_, rest)| Some(rest.split_once('"')?.0))
                .unwrap_or_default(),
            Some((before, _)) => before,
            None => text,
        },
    };
    match written.contains(['*', '_', '`', '[', '\\', '<', '&', ':']) {
        true => html_text::from_clean(&markdown::html_of(written)).replace('\n', " ").into(),
        false => Cow::Owned(written.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_admonition_becomes_an_alert() {
        for (text, expected) in [
            (":::note\nA.\n:::\nB.\n", "> [!NOTE]\n> A.\n\nB.\n"),
            (":::note[Be *careful*]{.x}\n\nA.\n\n:::\n", "> [!NOTE] Be careful\n>\n> A.\n>\n\n"),
            ("::: tip Title\nA.\n:::", "> [!TIP] Title\n> A.\n"),
            (":::danger\nA.\n:::\n", "> [!CAUTION] Danger\n> A.\n\n"),
            (":::info{title=\"T\"}\nA.\n:::\n", "> [!NOTE] T\n> A.\n\n"),
            (
                "::::warning\nA.\n:::tip\n```js\n:::\n```\n:::\nB.\n::::\nC.\n",
                "> [!WARNING]\n> A.\n> > [!TIP]\n> > ```js\n> > :::\n> > ```\n>\n> B.\n\nC.\n",
            ),
            (
                "1. A\n\n   :::note\n   B\n     - C\n   :::\n\n2. D\n",
                "1. A\n\n   > [!NOTE]\n   > B\n   >   - C\n\n\n2. D\n",
            ),
            ("- A\n  :::tip\n  B\nC\n", "- A\n  > [!TIP]\n  > B\n\nC\n"),
            (
                "::: details Read & do\nA.\n:::\nB.\n",
                "<details><summary>Read &amp; do</summary>\n\nA.\n\n</details>\n\nB.\n",
            ),
            (":::note\nA.", "> [!NOTE]\n> A.\n\n"),
            (
                ":::note\n::: code-group\nA.\n:::\nB.\n:::\nC.\r\n",
                "> [!NOTE]\n> ::: code-group\n> A.\n> :::\n> B.\n\nC.\r\n",
            ),
        ] {
            assert_eq!(as_alerts(text), expected, "{text}");
        }
    }

    #[test]
    fn other_colons_stay() {
        for text in [
            "a\n:::\nb",
            ":::python\na\n:::\n",
            "```\n:::note\n:::\n```\n",
            "    :::note\n",
            "::note\n",
            "a :::note\n",
            ":::notes\n",
            ":::{note}\n",
        ] {
            assert_eq!(as_alerts(text), text);
        }
    }

    #[test]
    fn the_alerts_are_shown_as_such() {
        let html = markdown::html_of(&as_alerts("Before.\n:::note[A & b]\n- *c*\n:::\nAfter.\n"));
        for part in ["<p>Before.</p>", "markdown-alert-note", "A &amp; b</p>", "<li><em>c</em></li>", "<p>After.</p>"] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }
}
