//! TeX formulas between dollar signs. The rule: `$$…$$` and `$…$` reach the page as written, with their signs, so that a script of the site can
//! typeset them; a price stays Markdown.
//!
//! The parser reads a formula by the rule of Pandoc ("Extension: `tex_math_dollars`"): no white space inside the signs and no digit after them. By
//! that rule, "$5 or US$" is a formula, so the text between two single signs counts as one only if it cannot be prose.

use comrak::nodes::{Node, NodeMath, NodeValue};

/// Signs of TeX that prose between two dollars does not contain.
const SIGNS: &[char] = &['\\', '^', '_', '{', '}', '='];

/// The Markdown with a backslash before each dollar that does not belong to a formula; `None` if there is none.
pub(super) fn without_prices(root: Node<'_>, markdown: &str) -> Option<String> {
    let prices: Vec<_> = root.descendants().filter(|node| is_price(node)).map(|node| node.data().sourcepos).collect();
    if prices.is_empty() {
        return None;
    }
    let lines = line_starts(markdown);
    let place = |line: usize, column: usize| Some(lines.get(line.checked_sub(1)?)? + column.checked_sub(1)?);
    let ends = prices.iter().flat_map(|at| [place(at.start.line, at.start.column), place(at.end.line, at.end.column)]);
    let mut dollars: Vec<usize> = ends.flatten().filter(|at| markdown.as_bytes().get(*at) == Some(&b'$')).collect();
    dollars.sort_unstable();
    dollars.dedup();
    let (mut out, mut copied) = (String::with_capacity(markdown.len() + dollars.len()), 0);
    for at in dollars {
        out.push_str(&markdown[copied..at]);
        out.push('\\');
        copied = at;
    }
    out.push_str(&markdown[copied..]);
    Some(out)
}

/// Replaces each formula by its text.
pub(super) fn write(root: Node<'_>) {
    for node in root.descendants() {
        let text = match &node.data().value {
            NodeValue::Math(NodeMath { dollar_math: true, display_math: true, literal }) => format!("$${literal}$$"),
            NodeValue::Math(NodeMath { dollar_math: true, literal, .. }) => format!("${literal}$"),
            _ => continue,
        };
        node.data_mut().value = NodeValue::Text(text.into());
    }
}

/// Whether the parser took the node for a formula although it is not one.
fn is_price(node: &Node<'_>) -> bool {
    let data = node.data();
    let NodeValue::Math(NodeMath { dollar_math: true, display_math: false, literal }) = &data.value else {
        return false;
    };
    let beside = |other: Option<Node<'_>>, holds: fn(&str) -> bool| {
        other.is_some_and(|other| matches!(&other.data().value, NodeValue::Text(text) if holds(text)))
    };
    let is_in_word = beside(node.previous_sibling(), |text| text.ends_with(char::is_alphanumeric))
        || beside(node.next_sibling(), |text| text.starts_with(char::is_alphanumeric));
    let has_markup = literal.contains(['`', '<']) || literal.contains("](") || literal.contains("://");
    is_in_word || (has_markup && !literal.contains('\\')) || (!literal.contains(SIGNS) && has_word(literal))
}

/// Whether a text has two adjacent letters, which a formula without TeX signs rarely has.
fn has_word(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_alphabetic)) || !text.is_ascii()
}

/// The byte positions of the line starts, by the parser's definition of a line.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends_line = |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    std::iter::once(0).chain((0..bytes.len()).filter(ends_line).map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use crate::{html_text, render};

    #[test]
    fn a_formula_between_dollars_stays_as_it_is_written() {
        for formula in [
            "$\\hat{y}_i = \\sum_{j} w_{ij} x_j$",
            "$a*b*c$",
            "$f_{a}(x)_b g_{c}$",
            "$x$",
            "$2 * 3 * 4$",
            "$$\\underbrace{1}_{2} \\underbrace{1}_{2}$$",
            "$$ a :rocket: *b* www.example.com $$",
            "$$\n\\begin{aligned}\na &= b * c * d \\\\\ne &= \\{ f_1, f_2 \\} \\\\\n\\end{aligned}\n$$",
        ] {
            let expected = html_text::escape(formula);
            assert_eq!(render(&format!("A {formula}.")).html, format!("<p>A {expected}.</p>\n"));
            assert_eq!(render(&format!("|a|\n|-|\n|{}|", formula.replace('\n', " "))).html.matches("<em>").count(), 0);
        }
        assert_eq!(render("`$a*b*$` $c_1_d$").html, "<p><code>$a*b*$</code> $c_1_d$</p>\n");
        assert_eq!(render("$a_1_b$").text, "$a_1_b$");
    }

    #[test]
    fn prices_and_variables_are_no_formulas() {
        for (markdown, html) in [
            ("$5 *or* US$", "$5 <em>or</em> US$"),
            ("US$5 *or* A$6 and *more*", "US$5 <em>or</em> A$6 and <em>more</em>"),
            ("$(this) is [a](/b) in ($", "$(this) is <a href=\"/b\">a</a> in ($"),
            ("$HOME `b` is *not* /$", "$HOME <code>b</code> is <em>not</em> /$"),
            ("**$5 *a* $b_1_c$ d A$**", "<strong>$5 <em>a</em> $b_1_c$ d A$</strong>"),
            ("\\$a*b*c$", "$a<em>b</em>c$"),
        ] {
            assert_eq!(render(markdown).html, format!("<p>{html}</p>\n"));
            let items = render(&format!("> - a\n> - {markdown}")).html;
            assert!(items.contains(&format!("<li>{html}</li>")), "{items}");
        }
    }
}
