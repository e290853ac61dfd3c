//! Reads comma-separated values (RFC 4180). The rule: a file that is cut off inside a quoted field is refused, because the field would contain the
//! rest of the file.

/// A record: the number of its first line, and its fields.
type Numbered = (usize, Vec<String>);

/// All records without empty lines. An error has the number of its line.
pub(super) fn records(text: &str) -> Result<Vec<Numbered>, (usize, &'static str)> {
    let (mut records, mut reader) = (Vec::new(), Reader { rest: text, line: 1 });
    while !reader.rest.is_empty() {
        let (line, mut fields) = (reader.line, Vec::new());
        loop {
            fields.push(reader.field()?);
            match reader.rest.strip_prefix(',') {
                Some(rest) => reader.rest = rest,
                None => break,
            }
        }
        reader.end_line();
        if fields != [""] {
            records.push((line, fields));
        }
    }
    Ok(records)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl Reader<'_> {
    fn field(&mut self) -> Result<String, (usize, &'static str)> {
        match self.rest.strip_prefix('"') {
            Some(quoted) => self.quoted(quoted),
            None => {
                let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
                let (field, rest) = self.rest.split_at(end);
                let field = field.strip_suffix('\r').filter(|_| !rest.starts_with(',')).unwrap_or(field);
                self.rest = rest;
                Ok(field.to_owned())
            }
        }
    }

    /// Reads the field after its opening quotation mark. Two marks in the field mean one.
    fn quoted(&mut self, mut rest: &str) -> Result<String, (usize, &'static str)> {
        let bad = |reason| (self.line, reason);
        let mut field = String::new();
        loop {
            let Some((text, after)) = rest.split_once('"') else {
                return Err(bad("a quoted field does not end; is the file cut off?"));
            };
            field.push_str(text);
            rest = after;
            match rest.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    rest = after;
                }
                None => break,
            }
        }
        let rest = rest.strip_prefix('\r').filter(|rest| rest.is_empty() || rest.starts_with('\n')).unwrap_or(rest);
        if !(rest.is_empty() || rest.starts_with([',', '\n'])) {
            return Err(bad("text follows a quoted field"));
        }
        let start = self.rest.len() - rest.len();
        self.line += field.matches('\n').count();
        self.rest = &self.rest[start..];
        Ok(field)
    }

    fn end_line(&mut self) {
        self.line += 1;
        self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<(usize, Vec<String>)> {
        records(text).expect("a table")
    }

    #[test]
    fn fields_may_have_commas_quotes_and_lines() {
        let read = fields("a,b\r\n\"1,\"\"2\"\"\r\n3\",\r\n\r\n ,\"\"\nlast");
        let expected: &[(usize, &[&str])] =
            &[(1, &["a", "b"]), (2, &["1,\"2\"\r\n3", ""]), (5, &[" ", ""]), (6, &["last"])];
        let expected: Vec<_> =
            expected.iter().map(|(line, row)| (*line, row.iter().map(|f| (*f).to_owned()).collect())).collect();
        assert_eq!(read, expected);
        assert!(fields("").is_empty());
    }

    #[test]
    fn a_damaged_table_is_refused_with_its_line() {
        for (text, line) in [("a\n\"b", 2), ("a\n\"b\nc\"\nd,\"e\"f\n", 4), ("\"", 1)] {
            assert_eq!(records(text).expect_err("damaged").0, line, "{text}");
        }
    }
}
