//! The packaging files and the operating docs: every file, flag, variable, setting and metric that they name exists.

use std::path::Path;
use std::process::Command;

use tidings::assets::AssetLimits;
use tidings::config::{Setting, table};

use super::{repository, run_with};
use crate::support::command::run;

const EXAMPLE: &str = "packaging/tidings.toml";

fn path(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file).display().to_string()
}

#[test]
fn the_example_configuration_is_valid() {
    let ran = run(&["serve", "--print-config", "--config", &path(EXAMPLE)]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("store = \"file:/var/lib/tidings/store\"  # file, line "), "{}", ran.out);
}

#[test]
fn the_example_of_nginx_accepts_the_largest_picture() {
    let page = repository("docs/operating.md");
    let (_, rest) = page.split_once("client_max_body_size ").expect("the setting of nginx");
    let megabytes: u64 = rest.split_once("m;").expect("megabytes").0.parse().expect("a number");
    assert!(megabytes << 20 > AssetLimits::default().file_bytes, "{megabytes}m");
}

/// Also as a comment: with the default if there is one, and with the description of the help.
#[test]
fn the_example_has_every_setting() {
    let example = repository(EXAMPLE);
    let whole: String = example.lines().map(|line| format!("{}\n", uncommented(line))).collect();
    let values: toml::Table = whole.parse().unwrap_or_else(|error| panic!("{error}: {whole}"));
    let mut count = 0;
    for setting in table::all() {
        let value = match setting.section() {
            (Some(section), key) => values.get(section).and_then(|section| section.get(key)),
            (None, key) => values.get(key),
        };
        let value = value.unwrap_or_else(|| panic!("{} is not there", setting.key));
        assert!(example.contains(&format!("# {}\n", setting.about)), "{}", setting.about);
        let (_, key) = setting.section();
        if let (Some(default), true) =
            (setting.default.text(), section_of(&example, setting).contains(&format!("\n#{key} = ")))
        {
            assert_eq!(value.to_string().trim_matches('"'), default, "{}", setting.key);
        }
        count += 1;
    }
    let of_sections = |value: &toml::Value| value.as_table().map_or(1, toml::Table::len);
    assert_eq!(values.values().map(of_sections).sum::<usize>(), count, "the example has unknown keys");
}

/// The lines of the section of a setting.
fn section_of<'e>(example: &'e str, setting: &Setting) -> &'e str {
    let from = setting.section().0.map_or(0, |name| example.find(&format!("\n[{name}]\n")).expect("the section") + 1);
    let rest = &example[from..];
    rest.split("\n[").next().unwrap_or(rest)
}

/// Removes the `#` of a commented setting, which has no space after it, unlike other comments.
fn uncommented(line: &str) -> &str {
    line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line)
}

#[test]
fn the_example_with_all_settings_uncommented_is_valid() {
    let example = repository(EXAMPLE);
    // The files of these do not exist here; most also exclude another setting.
    let left_out = [
        "editor_token_file",
        "client_secret_file",
        "connection_string_file",
        "headers_file",
        "secret_access_key_file",
        "purge_token_file",
        "manifests =",
        "fields =",
    ];
    let lines = example.lines().map(uncommented).filter(|line| !left_out.iter().any(|key| line.starts_with(key)));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("whole.toml");
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).expect("a file");
    let ran = run(&["serve", "--print-config", "--config", file.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(!ran.out.contains("  # default"), "{}", ran.out);
}

/// The values of a key in an ini file.
fn values<'a>(unit: &'a str, key: &str) -> Vec<&'a str> {
    unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
}

#[test]
fn the_service_runs_a_valid_command_with_few_rights() {
    let unit = repository("packaging/tidings.service");
    let [start] = values(&unit, "ExecStart")[..] else { panic!("not exactly one ExecStart") };
    let words: Vec<&str> = start.split(' ').collect();
    let ["/usr/local/bin/tidings", arguments @ ..] = &words[..] else { panic!("{start}") };
    let here: Vec<String> =
        arguments.iter().map(|word| word.replace("/etc/tidings/tidings.toml", &path(EXAMPLE))).collect();
    let here: Vec<&str> = here.iter().map(String::as_str).chain(["--print-config"]).collect();
    assert_eq!(run(&here).code, Some(0), "{here:?}");
    // The store is in the only folder where the service may write.
    let folder = format!("/var/lib/{}", values(&unit, "StateDirectory")[0]);
    let example: toml::Table = repository(EXAMPLE).parse().expect("TOML");
    assert!(example["store"].as_str().is_some_and(|store| store.starts_with(&format!("file:{folder}/"))));
    for (key, value) in
        [("DynamicUser", "yes"), ("ProtectSystem", "strict"), ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", "")]
    {
        assert_eq!(values(&unit, key), [value], "{key}");
    }
    for file in unit.lines().flat_map(|line| line.split(' ')).filter(|word| word.starts_with("packaging/")) {
        repository(file);
    }
}

/// With the path of the built binary.
#[test]
#[ignore = "needs systemd-analyze"]
fn systemd_accepts_the_service() {
    let folder = tempfile::tempdir().expect("a folder");
    let unit = repository("packaging/tidings.service").replace("/usr/local/bin/tidings", env!("CARGO_BIN_EXE_tidings"));
    let file = folder.path().join("tidings.service");
    std::fs::write(&file, unit).expect("a file");
    let output = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output();
    let output = output.expect("systemd-analyze runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    let about_us: Vec<&str> = complaints.lines().filter(|line| line.contains("tidings")).collect();
    assert_eq!(about_us, Vec::<&str>::new());
}

/// The test cannot build the container; it checks the names in the Containerfile.
#[test]
fn the_container_names_existing_files_flags_and_variables() {
    let text = repository("packaging/Containerfile").replace("\\\n", " ");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    let of = |instruction: &str| -> Vec<&str> {
        lines.iter().filter_map(|line| line.strip_prefix(instruction)?.strip_prefix(' ')).collect()
    };
    let [entry, command] =
        [of("ENTRYPOINT"), of("CMD")].map(|lines| serde_json::from_str::<Vec<String>>(lines[0]).expect("an array"));
    assert!(
        text.contains("cp target/dist/tidings /tidings ") && text.contains(&format!("/tidings {}\n", entry[0])),
        "{text}"
    );
    let settings: Vec<(&str, &str)> =
        of("ENV")[0].split_whitespace().map(|pair| pair.split_once('=').expect("a pair")).collect();
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--print-config"]).collect();
    let ran = run_with(&arguments, &settings);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for (variable, _) in &settings {
        assert!(ran.out.contains(&format!("# environment {variable}\n")), "{variable}: {}", ran.out);
    }
    let port = of("EXPOSE")[0];
    assert!(ran.out.contains(&format!("listen = \"0.0.0.0:{port}\"")), "{}", ran.out);
    let volume = of("VOLUME")[0];
    assert!(ran.out.contains(&format!("store = \"file:{volume}/")), "{}", ran.out);
    assert_eq!(of("USER"), ["nonroot"]);
    assert!(of("RUN")[0].contains("cargo build --profile dist --locked"), "{text}");
    let rust = of("FROM")[0];
    assert!(rust.contains("/rust:1-") && repository("Cargo.toml").contains("rust-version = \"1."), "{rust}");
    let ignored = repository(".containerignore");
    for needed in ["Cargo.toml", "Cargo.lock", "src", "crates", "packaging/Containerfile"] {
        assert!(Path::new(&path(needed)).exists() && !ignored.lines().any(|line| line == needed), "{needed}");
    }
}

/// The code blocks of a document in one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    let starts = text.split(&begin).skip(1);
    starts.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_configuration_in_the_docs_is_valid() {
    let blocks = blocks(&repository("docs/operating.md"), "toml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let folder = tempfile::tempdir().expect("a folder");
        let token = folder.path().join("editor-token");
        std::fs::write(&token, "a-token-of-more-than-24-characters\n").expect("a file");
        let file = folder.path().join("tidings.toml");
        let here = block.replace("/etc/tidings/editor-token", &token.display().to_string());
        std::fs::write(&file, here).expect("a file");
        let ran = run(&["serve", "--print-config", "--config", file.to_str().expect("UTF-8")]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{block}");
    }
}

/// The metrics in the Prometheus queries and alerts of docs/operating.md.
#[test]
fn the_metrics_in_the_operating_docs_are_described_in_the_telemetry_docs() {
    let docs = repository("docs/operating.md");
    let telemetry = repository("docs/telemetry.md");
    let words = docs.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    let asked: Vec<&str> = words.filter(|word| word.starts_with("tidings_")).collect();
    assert!(asked.len() > 8, "{asked:?}");
    let is_described = |name: &&str| {
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        telemetry.contains(&format!("| `{family}` |"))
    };
    let undescribed: Vec<&str> = asked.into_iter().filter(|name| !is_described(name)).collect();
    assert_eq!(undescribed, Vec::<&str>::new());
}
