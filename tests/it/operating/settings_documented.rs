//! Every setting is listed in the help of `serve` and in the docs.

use tidings::config::setting::Setting;
use tidings::config::{CONFIG_VARIABLE, table};

use super::{repository, run_with};

/// The names of settings that a text does not contain.
fn missing(text: &str, named: impl Fn(&Setting) -> Vec<String>) -> Vec<String> {
    table::all().into_iter().flat_map(named).filter(|name| !text.contains(name.as_str())).collect()
}

#[test]
fn the_help_of_serve_lists_every_setting() {
    let help = run_with(&["serve", "--help"], &[]).out;
    let absent = missing(&help, |setting| {
        let flag = setting.flag.map(|flag| format!("--{flag}"));
        [setting.variable(), setting.key.to_owned()].into_iter().chain(flag).collect()
    });
    assert_eq!(absent, Vec::<String>::new(), "{help}");
    assert!(help.contains(CONFIG_VARIABLE), "{help}");
}

/// The table of docs/configuration.md, and the table of the limits in docs/operating.md.
fn tables() -> [(bool, String); 2] {
    let section = |text: String, heading: &str| {
        let (_, section) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
        section.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let settings = section(repository("docs/configuration.md"), "\n## Settings\n");
    [(false, settings), (true, section(repository("docs/operating.md"), "\n## Limits\n"))]
}

fn is_limit(setting: &Setting) -> bool {
    setting.section().0 == Some("limits")
}

#[test]
fn the_docs_list_every_setting_and_no_other() {
    let mut known: Vec<String> = table::all().iter().map(|setting| setting.variable()).collect();
    known.push(CONFIG_VARIABLE.to_owned());
    for (of_limits, section) in tables() {
        let absent = missing(&section, |setting| {
            if is_limit(setting) != of_limits {
                return Vec::new();
            }
            let flag = setting.flag.map(|flag| format!("--{flag}`"));
            [format!("`{}`", setting.variable()), format!("`{}`", setting.key)].into_iter().chain(flag).collect()
        });
        assert_eq!(absent, Vec::<String>::new());
        let words = section.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
        let is_known = |word: &str| known.iter().any(|known| known == word);
        let stale: Vec<&str> = words.filter(|word| word.starts_with("TIDINGS_") && !is_known(word)).collect();
        assert_eq!(stale, Vec::<&str>::new());
    }
}

/// `false` need not be listed.
#[test]
fn the_docs_list_the_defaults() {
    for (of_limits, section) in tables() {
        for setting in table::all().into_iter().filter(|setting| is_limit(setting) == of_limits) {
            let Some(default) = setting.default.text().filter(|default| default != "false") else { continue };
            let mut rows = section.lines().filter(|line| line.starts_with('|'));
            let row = rows.find(|line| line.contains(&format!("`{}`", setting.variable())));
            let row = row.unwrap_or_else(|| panic!("no row for {}", setting.variable()));
            assert!(row.contains(&format!("`{default}`")), "{default}: {row}");
        }
    }
}
