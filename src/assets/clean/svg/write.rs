//! Writes the result. The rule: every XML and HTML parser reads it alike: it has one namespace without a prefix, no declarations, comments or CDATA sections,
//! and every character that could end a text is escaped.

const ROOT: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

#[derive(Default)]
pub(super) struct Written {
    text: String,
    /// Whether the last tag still needs its `>`.
    is_in_tag: bool,
}

impl Written {
    pub(super) fn start(&mut self, name: &str, is_root: bool, attributes: &[(&'static str, String)]) {
        self.end_tag();
        self.text.push('<');
        self.text.push_str(name);
        self.text.push_str(if is_root { ROOT } else { "" });
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            self.escaped(value);
            self.text.push('"');
        }
        self.is_in_tag = true;
    }

    pub(super) fn end(&mut self, name: &str) {
        if std::mem::take(&mut self.is_in_tag) {
            return self.text.push_str("/>");
        }
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.end_tag();
            self.escaped(text);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    fn end_tag(&mut self) {
        if std::mem::take(&mut self.is_in_tag) {
            self.text.push('>');
        }
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                // This character comes from `&#13;`; a parser would read it as a line end.
                '\r' => self.text.push('\n'),
                character => self.text.push(character),
            }
        }
    }
}
