//! Tests of the blocks of MDX.

use super::*;
use crate::markdown::random_texts;
use tidings_model::markdown;

#[track_caller]
fn assert_separated(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(separated(text), *expected, "{text}");
        assert_eq!(separated(expected), *expected, "{text}, a second time");
    }
}

#[test]
fn what_follows_a_line_of_tags_is_markdown() {
    assert_separated(&[
        ("<Tabs>\n- [a](/b/)\n- c\n</Tabs>\n", "<Tabs>\n\n- [a](/b/)\n- c\n\n</Tabs>\n"),
        ("a\n<br/>\nb\n", "a\n\n<br/>\n\nb\n"),
        ("<Tabs>\n\n# a\n\n</Tabs>", "<Tabs>\n\n# a\n\n</Tabs>"),
        ("<A>\r\nb\r\n</A>\r\n", "<A>\r\n\nb\r\n\n</A>\r\n"),
        ("<ul>\n<li>a</li>\n*b*\n</ul>", "<ul>\n\n<li>a</li>\n\n*b*\n\n</ul>"),
    ]);
    let html = markdown::html_of(&separated("<Tabs>\n- [a](/b/)\n</Tabs>\n"));
    assert!(html.contains("<li><a href=\"/b/\"") && !html.contains("&lt;"), "{html}");
}

#[test]
fn what_is_indented_below_tags_is_moved_to_the_left() {
    assert_separated(&[
        (
            "<Grid>\n\t<Card title=\"a\">\n\t\tText of\n\t\tlines.\n\n\t\t- b\n\t\t  - c\n\t</Card>\n</Grid>\n\nd\n",
            "<Grid>\n\n<Card title=\"a\">\n\nText of\nlines.\n\n- b\n  - c\n\n</Card>\n\n</Grid>\n\nd\n",
        ),
        ("<A>\n    b\n\n    <C/>\n    d\n</A>\n", "<A>\n\nb\n\n<C/>\n\nd\n\n</A>\n"),
        ("<A>\nb\n\n        c\n</A>\n", "<A>\n\nb\n\nc\n\n</A>\n"),
        ("    <A>\n        b\n    </A>\n\n    c\n", "<A>\n\nb\n\n</A>\n\n    c\n"),
    ]);
}

#[test]
fn code_below_tags_keeps_its_form() {
    assert_separated(&[
        ("<A>\n  ```sh\n  if\n    <B>\n\n  \tc\n  ```\n</A>\n", "<A>\n\n```sh\nif\n  <B>\n\n\tc\n```\n\n</A>\n"),
        ("<A>\n<pre>\n  <b>\n  *a*\n</pre>\n</A>\n", "<A>\n\n<pre>\n  <b>\n  *a*\n</pre>\n\n</A>\n"),
        ("<A>\n<pre>\n</preview>\n  *a*\n</pre>\n</A>\n", "<A>\n\n<pre>\n</preview>\n  *a*\n</pre>\n\n</A>\n"),
        ("```\n<A>\nb\n</A>", "```\n<A>\nb\n</A>"),
        ("- ~~~\n  <A>\n  b\n  ~~~\n", "- ~~~\n  <A>\n  b\n  ~~~\n"),
    ]);
}

#[test]
fn a_tag_of_several_lines_is_one_line() {
    assert_separated(&[
        (
            "<Card\n  title=\"a\n  b\"\n  data={[\n    <B />,\n\n  ]}\n>\n  [c](/d/)\n</Card>\n",
            "<Card title=\"a b\" data={[ <B />, ]} >\n\n[c](/d/)\n\n</Card>\n",
        ),
        ("a <Card b={\n<C/>\n}/> d\n", "a <Card b={\n<C/>\n}/> d\n"),
    ]);
}

#[test]
fn text_in_the_line_of_a_tag_is_markdown() {
    assert_separated(&[
        ("<Card>See [a](/b/)</Card>\n", "<Card>See [a](/b/)</Card>\n"),
        ("<Aside>See [a](/b/)</Aside>\n", "<Aside>\n\nSee [a](/b/)\n\n</Aside>\n"),
        ("<tr><td>*a*</td></tr>\n", "<tr><td>\n\n*a*\n\n</td></tr>\n"),
        ("<div>a\n[b](/c/)\n</div>\n", "<div>\n\na\n[b](/c/)\n\n</div>\n"),
        ("<details><summary>a</summary>\nb\n</details>\n", "<details><summary>a</summary>\n\nb\n\n</details>\n"),
        ("<p>a\nb *c*</p>\n\n    d\n", "<p>\n\na\nb *c*</p>\n\n    d\n"),
        ("<td>a <b>c</b></td>\n<td>d</td>\n", "<td>a <b>c</b></td>\n\n<td>d</td>\n"),
    ]);
    let html = markdown::html_of(&separated("<Aside>See [a](/b/)</Aside>\n"));
    assert!(html.contains("<a href=\"/b/\""), "{html}");
}

#[test]
fn a_component_in_a_list_item_stays_in_it() {
    assert_separated(&[
        (
            "1. a\n\n   <Tabs>\n     <Item>\n       ```sh\n       b\n       ```\n     </Item>\n   </Tabs>\n\n2. c\n",
            "1. a\n\n   <Tabs>\n\n   <Item>\n\n   ```sh\n   b\n   ```\n\n   </Item>\n\n   </Tabs>\n\n2. c\n",
        ),
        ("- <A>\n  b\n  </A>\n- c\n", "- <A>\n\n  b\n\n  </A>\n\n- c\n"),
        (
            "<A>\n    - b\n\n      <C>\n          d\n      </C>\n</A>\n",
            "<A>\n\n- b\n\n  <C>\n\n  d\n\n  </C>\n\n</A>\n",
        ),
    ]);
}

#[test]
fn what_is_no_tag_and_what_is_not_closed_changes_nothing_else() {
    assert_separated(&[
        ("<5 a\n< b\n<https://a.b>\n<!-- <A>\n-->\n", "<5 a\n< b\n<https://a.b>\n<!-- <A>\n-->\n"),
        ("<A\nb\n\n    c\n", "<A\nb\n\n    c\n"),
        ("<A>\nb\n\n    c\n", "<A>\n\nb\n\n    c\n"),
        ("<A>\n<B>\n  c\n</A>\n</B>\n\n    d\n", "<A>\n\n<B>\n\nc\n\n</A>\n\n</B>\n\n    d\n"),
        ("- <A>\n  b\n\n1. c\n\n</A>\n", "- <A>\n\n  b\n\n1. c\n\n</A>\n"),
    ]);
}

#[test]
fn a_closing_tag_of_several_lines_ends_its_element() {
    assert_separated(&[
        ("<Box>\n</Box\n> text after\n", "<Box>\n\n</Box\n> text after\n"),
        ("<pre>a\n</pre\n> <style>", "<pre>a\n</pre\n> <style>"),
        ("</a\n> b", "</a\n> b"),
        ("<a>\n</a\n>\nb\n", "<a>\n\n</a >\n\nb\n"),
    ]);
}

#[test]
fn code_below_a_tag_of_several_lines_keeps_its_lines() {
    assert_separated(&[("<pre\n  class=\"a\">\n  b\n\n  c\n</pre>\n", "<pre\n  class=\"a\">\n  b\n\n  c\n</pre>\n")]);
}

#[test]
fn no_text_panics() {
    let parts = [
        "<A>", "</A>", "<td>", "</td>", "\n", "\n  ", "\t", "- ", "```", "<A b={", "}", "ä", "*", "<pre>", "</A\n> ",
        "</pre\n>", "<style>",
    ];
    for text in random_texts::of(&parts, 12) {
        separated(&text);
    }
}
