//! docs/clients.md against what it tells of. The rule: a block of code below a comment that names a file stands in that file, word for word.

use std::path::Path;

/// A block of the document: the file that it is of, and its lines.
#[derive(Debug)]
struct Block {
    file: String,
    lines: Vec<String>,
}

#[test]
fn each_block_of_code_stands_in_the_tested_file_that_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/clients.md")).expect("docs/clients.md");
    let blocks = blocks(&text);
    assert!(blocks.len() >= 10, "{} blocks", blocks.len());
    for Block { file, lines } in blocks {
        assert!(file.starts_with("tests/"), "{file} is not run by a test");
        let source = std::fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(stands_in(&source, &lines), "docs/clients.md has of {file} what is not in it:\n{}", lines.join("\n"));
    }
}

#[test]
fn a_block_stands_in_a_file_at_any_depth_but_only_whole() {
    let block = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let source = "  a {\n    b\n  }\n  c\n";
    assert!(stands_in(source, &block("a {\n  b\n}")));
    assert!(!stands_in(source, &block("a {\n  c\n}")));
    assert!(!stands_in(source, &block("a {\nb\n}")));
    let found = blocks("<!-- tests/x.ts -->\n```ts\nlet a;\n```\n\n```ts\nlet b;\n```\n```sh\nls\n```\n");
    assert_eq!(
        found.iter().map(|block| block.file.as_str()).collect::<Vec<_>>(),
        ["tests/x.ts", "the block of line 6"]
    );
}

/// All blocks but those of a shell's commands. One without a comment right above it names its own line, which is no file.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut above = "";
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let of = above.strip_prefix("<!-- ").and_then(|comment| comment.strip_suffix(" -->"));
            let file = of.map_or_else(|| format!("the block of line {number}"), str::to_owned);
            let inside = lines.by_ref().map(|(_, line)| line.to_owned()).take_while(|line| line != "```").collect();
            if language != "sh" {
                found.push(Block { file, lines: inside });
            }
        }
        above = line;
    }
    found
}

/// Whether the lines stand in the source one after the other, all of them further in by the same.
fn stands_in(source: &str, lines: &[String]) -> bool {
    let source: Vec<&str> = source.lines().collect();
    let first = lines.first().map_or("", String::as_str);
    source.windows(lines.len().max(1)).any(|window| {
        let Some(indent) = window[0].strip_suffix(first).filter(|indent| indent.trim().is_empty()) else {
            return false;
        };
        let alike = |(found, line): (&&str, &String)| {
            line.is_empty() && found.is_empty() || **found == format!("{indent}{line}")
        };
        window.iter().zip(lines).all(alike)
    })
}
