//! Fenced code blocks of Markdown, each with the comment above it, which says how the tests use the block.

/// The instruction in the comment above a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    None,
    /// `<!-- not run: REASON -->`
    NotRun(String),
    /// `<!-- refused: CODE -->`: an answer contains an error with this code.
    Refused(String),
    /// `<!-- with a token -->`: the query is sent with the token of an admin.
    WithToken,
    /// `<!-- server stopped -->`: the running servers are stopped before the block.
    ServerStopped,
    /// `<!-- printed -->`: the output of the commands before it; `…` matches any text.
    Printed,
    /// `<!-- variables -->`: the variables of the query before it.
    Variables,
    /// `<!-- path/of/a/file -->`: this file of the checkout contains the lines.
    From(String),
    /// `<!-- answer -->`: the whole answer to the query before it.
    Answer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The number of its first line of text.
    pub line: usize,
    pub language: String,
    pub text: String,
    pub mark: Mark,
}

impl Mark {
    /// The mark in a line, if the line is one.
    fn of(line: &str) -> Option<Self> {
        let comment = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
        Some(match comment.split_once(": ").unwrap_or((comment, "")) {
            ("not run", reason) => Self::NotRun(reason.to_owned()),
            ("refused", code) => Self::Refused(code.to_owned()),
            ("with a token", "") => Self::WithToken,
            ("server stopped", "") => Self::ServerStopped,
            ("printed", "") => Self::Printed,
            ("variables", "") => Self::Variables,
            ("answer", "") => Self::Answer,
            (path, "") if path.contains('/') && !path.contains(' ') => Self::From(path.to_owned()),
            _ => return None,
        })
    }
}

impl Block {
    /// Whether a text contains its lines one after the other, with any common indentation.
    pub fn is_part_of(&self, text: &str) -> bool {
        let (expected, lines): (Vec<&str>, Vec<&str>) = (self.text.lines().collect(), text.lines().collect());
        let is_here = |window: &[&str]| {
            let depth = window[0].len() - window[0].trim_start().len();
            let fits = |(expected, line): (&&str, &&str)| *expected == line.get(depth..).unwrap_or_default();
            expected.iter().zip(window).all(fits)
        };
        !expected.is_empty() && lines.windows(expected.len()).any(is_here)
    }
}

/// The blocks of a page in their order. A mark belongs to the block right below it.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut found, mut mark) = (Vec::new(), Mark::None);
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            mark = if line.trim().is_empty() { mark } else { Mark::of(line).unwrap_or(Mark::None) };
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let text: String = inside.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect();
        let mark = std::mem::replace(&mut mark, Mark::None);
        found.push(Block { line: number + 1, language: language.trim().to_owned(), text, mark });
    }
    found
}

/// The prose of a page, line by line: the text without code blocks and code spans.
pub fn prose(text: &str) -> Vec<(usize, String)> {
    let mut in_block = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let is_fence = line.trim_start().starts_with("```");
        if !is_fence && !in_block {
            let spans = line.split('`').step_by(2).collect::<Vec<_>>();
            found.push((number, spans.join("`")));
        }
        in_block ^= is_fence;
    }
    found
}

#[test]
fn blocks_have_their_lines_and_marks() {
    let text = "# A\n\n```sh\na\n```\n<!-- not run: x: y -->\n\n```\nb\n```\n- c\n  <!-- printed -->\n  ```text\n  d\n    e\n  ```\n";
    let block =
        |line, language: &str, text: &str, mark| Block { line, language: language.into(), text: text.into(), mark };
    let expected = [
        block(4, "sh", "a\n", Mark::None),
        block(9, "", "b\n", Mark::NotRun("x: y".into())),
        block(14, "text", "d\n  e\n", Mark::Printed),
    ];
    assert_eq!(blocks(text), expected);
    let is_in = |text| expected[2].is_part_of(text);
    assert!(is_in("x\n    d\n      e\ny") && !is_in("d\nx\n  e") && !is_in("d\ne"));
    assert_eq!(prose("a `b` c\n```\nd\n```\ne")[..], [(1, "a ` c".to_owned()), (5, "e".to_owned())]);
}
