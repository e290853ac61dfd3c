//! Fenced blocks of Markdown, with the comment above each that says what becomes of it.

/// What the comment above a block asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    None,
    /// `<!-- not run: REASON -->`
    NotRun(String),
    /// `<!-- refused: CODE -->`: an answer holds an error of this code.
    Refused(String),
    /// `<!-- with a token -->`: the query is sent with an admin's.
    WithToken,
    /// `<!-- server stopped -->`: the reader has stopped the servers that ran.
    ServerStopped,
    /// `<!-- printed -->`: what the commands before it print; `…` stands for anything.
    Printed,
    /// `<!-- variables -->`: of the query before it.
    Variables,
    /// `<!-- path/of/a/file -->`: the lines stand in this file of the checkout.
    From(String),
    /// `<!-- answer -->`: to the query before it, as a whole.
    Answer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Of its first line of text.
    pub line: usize,
    pub language: String,
    pub text: String,
    pub mark: Mark,
}

impl Mark {
    /// The mark that a line is, if it is one.
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
    /// Whether its lines stand in a text together, at whatever depth, but each as deep beside the others as here.
    pub fn is_part_of(&self, text: &str) -> bool {
        let (wanted, lines): (Vec<&str>, Vec<&str>) = (self.text.lines().collect(), text.lines().collect());
        let is_here = |window: &[&str]| {
            let depth = window[0].len() - window[0].trim_start().len();
            let fits = |(wanted, line): (&&str, &&str)| *wanted == line.get(depth..).unwrap_or_default();
            wanted.iter().zip(window).all(fits)
        };
        !wanted.is_empty() && lines.windows(wanted.len()).any(is_here)
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

/// The page without its blocks and code spans, line by line: what is read as prose.
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
fn blocks_come_with_their_lines_and_marks() {
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
