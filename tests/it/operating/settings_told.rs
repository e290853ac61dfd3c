//! Every setting is told where its users look for it.

use tidings::config::setting::Setting;
use tidings::config::{CONFIG_VARIABLE, table};

use super::{repository, run_with};

fn missing(text: &str, named: impl Fn(&Setting) -> Vec<String>) -> Vec<String> {
    table::all().into_iter().flat_map(named).filter(|name| !text.contains(name.as_str())).collect()
}

#[test]
fn the_help_of_serve_tells_every_setting() {
    let help = run_with(&["serve", "--help"], &[]).out;
    let told = missing(&help, |setting| {
        let flag = setting.flag.map(|flag| format!("--{flag}"));
        [setting.variable.to_owned(), setting.key.to_owned()].into_iter().chain(flag).collect()
    });
    assert_eq!(told, Vec::<String>::new(), "{help}");
    assert!(help.contains(CONFIG_VARIABLE), "{help}");
}

#[test]
fn the_table_of_the_readme_has_every_setting_and_no_other() {
    let readme = repository("README.md");
    let (_, section) = readme.split_once("\n## Settings\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("a next section");
    let told = missing(section, |setting| {
        let flag = setting.flag.map(|flag| format!("--{flag}`"));
        [format!("`{}`", setting.variable), format!("`{}`", setting.key)].into_iter().chain(flag).collect()
    });
    assert_eq!(told, Vec::<String>::new());
    let known: Vec<&str> = table::all().iter().map(|setting| setting.variable).chain([CONFIG_VARIABLE]).collect();
    let words = section.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
    let stale: Vec<&str> = words.filter(|word| word.starts_with("TIDINGS_") && !known.contains(word)).collect();
    assert_eq!(stale, Vec::<&str>::new());
}

/// A default that is told is the one that holds.
#[test]
fn the_table_of_the_readme_has_the_defaults() {
    let readme = repository("README.md");
    for setting in table::all() {
        let Some(default) = setting.default.text().filter(|default| default != "false") else { continue };
        let row =
            readme.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{}`", setting.variable)));
        let row = row.unwrap_or_else(|| panic!("no row for {}", setting.variable));
        assert!(row.contains(&format!("`{default}`")), "{default}: {row}");
    }
}
