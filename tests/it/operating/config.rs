//! The configuration file, flags and environment variables.

use std::path::PathBuf;

use tempfile::TempDir;
use tidings::config::table;

use super::run_with;
use crate::support::command::{Blog, Ran, Serving};

/// A temporary configuration file.
struct File {
    _folder: TempDir,
    path: PathBuf,
}

impl File {
    fn of(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tidings.toml");
        std::fs::write(&path, text).expect("a file");
        Self { _folder: folder, path }
    }

    fn path(&self) -> &str {
        self.path.to_str().expect("UTF-8")
    }

    /// Runs `serve --print-config` with the file.
    fn printed(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        run_with(&[&["serve", "--print-config", "--config", self.path()], arguments].concat(), variables)
    }

    /// The error line for the file, without the path at its start.
    fn refusal(&self) -> String {
        let refused = self.printed(&[], &[]);
        let complaint = refused.complaint();
        complaint.strip_prefix(self.path()).unwrap_or_else(|| panic!("{complaint}")).to_owned()
    }
}

fn assert_line(printed: &str, line: &str) {
    assert!(printed.lines().any(|printed| printed == line), "{line}\n{printed}");
}

#[test]
fn a_flag_overrides_the_environment_which_overrides_the_file_and_the_default() {
    let file = File::of("listen = \"10.0.0.1:1\"\ntable_prefix = \"file\"\nstore = \"file:of-file\"\n");
    let ran = file.printed(
        &["--listen", "10.0.0.3:3"],
        &[("TIDINGS_LISTEN", "10.0.0.2:2"), ("TIDINGS_TABLE_PREFIX", "environment")],
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for line in [
        "listen = \"10.0.0.3:3\"  # flag --listen",
        "table_prefix = \"environment\"  # environment TIDINGS_TABLE_PREFIX",
        "store = \"file:of-file\"  # file, line 3",
        "# create = false  # default",
        "# import is not set",
    ] {
        assert_line(&ran.out, line);
    }
}

#[test]
fn the_printed_configuration_is_a_file_with_the_same_settings() {
    let file = File::of(
        "import = 'a \"quoted\" \\ path'\ncors_origins = [\"https://a.example\", \"https://b.example\"]\nbatch_max = 0x0a\n\
         no_introspection = true\n[oidc]\nissuer = \"https://id.example\"\naudience = \"tidings\"\n[limits]\nbody_bytes = 2_000_000\n",
    );
    let first = file.printed(&["--report-storage"], &[("TIDINGS_LOG", "tidings=debug")]);
    assert_eq!((first.code, first.err.as_str()), (Some(0), ""));
    assert_line(&first.out, "body_bytes = 2000000  # file, line 9");
    assert_line(&first.out, "report_storage = true  # flag --report-storage");
    let again = File::of(&first.out).printed(&[], &[]);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    let without_origins = |text: &str| -> Vec<String> {
        let line = |line: &str| line.split("  # ").next().unwrap_or_default().to_owned();
        text.lines().filter(|text| !text.starts_with("# The settings")).map(line).collect()
    };
    assert_eq!(without_origins(&again.out), without_origins(&first.out));
    let values: toml::Table = again.out.parse().expect("TOML");
    assert_eq!(values["import"].as_str(), Some("a \"quoted\" \\ path"));
    assert_eq!(values["cors_origins"].as_array().map(Vec::len), Some(2));
    assert_eq!(values["batch_max"].as_integer(), Some(10));
}

/// The cost of a query reveals drafts, so the default depends on both.
#[test]
fn the_sample_blog_on_a_loopback_address_shows_its_cost_to_everyone_by_default() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/blog");
    let other = tempfile::tempdir().expect("a folder");
    let other = other.path().to_str().expect("UTF-8");
    let no = "# report_storage = false  # default";
    let of_sample = "# report_storage = true  # default";
    for (arguments, line) in [
        (&["--import", sample][..], of_sample),
        (&["--import", sample, "--listen", "[::1]:8080"], of_sample),
        (&["--import", sample, "--listen", "0.0.0.0:8080"], no),
        (&["--import", sample, "--report-storage=false"], "report_storage = false  # flag --report-storage"),
        (&["--import", other], no),
        (&[], no),
    ] {
        assert_line(&File::of("").printed(arguments, &[]).out, line);
    }
    let behind_a_proxy = File::of("client_address_header = \"x-forwarded-for\"\n").printed(&["--import", sample], &[]);
    assert_line(&behind_a_proxy.out, no);
    let emulator = ("AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true");
    let on_tables = File::of("").printed(&["--import", sample, "--store", "azure"], &[emulator]);
    assert_line(&on_tables.out, no);
}

/// The printed defaults have no identity provider, so no setting of a provider is missing.
#[test]
fn a_server_starts_with_the_printed_default_configuration() {
    let printed = run_with(&["serve", "--print-config"], &[]);
    assert_eq!((printed.code, printed.err.as_str()), (Some(0), ""));
    let (file, blog) = (File::of(&printed.out), Blog::of(&[]));
    let again = file.printed(&[], &[]);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    let store = blog.store();
    let arguments = ["--config", file.path(), "--create", "--store", &store];
    let serving = Serving::start(&arguments);
    assert_eq!(serving.query("{ posts { totalCount } }")["posts"]["totalCount"], 0);
    assert_eq!(serving.stop().0, Some(0));
}

/// The default of the sample blog is not a setting of the next one.
#[test]
fn the_printed_settings_of_the_sample_blog_are_not_those_of_another_blog() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/blog");
    let printed = run_with(&["serve", "--print-config", "--import", sample], &[]).out;
    let kept = File::of(&printed);
    assert_line(&kept.printed(&[], &[]).out, "# report_storage = true  # default");
    let other = File::of(&printed.replace(sample, "/srv/blog"));
    assert_line(&other.printed(&[], &[]).out, "# report_storage = false  # default");
}

#[test]
fn every_setting_is_printed_with_its_description() {
    let printed = File::of("").printed(&[], &[]).out;
    for setting in table::all() {
        let (_, key) = setting.section();
        assert!(printed.contains(&format!("# {}\n", setting.about)), "{}", setting.key);
        let starts = [format!("\n{key} = "), format!("\n# {key} = "), format!("\n# {key} is not set")];
        assert!(starts.iter().any(|start| printed.contains(start)), "{}:\n{printed}", setting.key);
    }
}

/// The secret is set by a variable, by a key, and by a file.
#[test]
fn a_secret_is_never_shown() {
    const SECRET: &str = "a-secret-of-more-than-24-characters";
    let plain = File::of("");
    let cached = File::of(SECRET);
    for (file, variables) in [
        (&plain, vec![("TIDINGS_EDITOR_TOKEN", SECRET), ("OTEL_EXPORTER_OTLP_HEADERS", SECRET)]),
        (&File::of(&format!("editor_token = \"{SECRET}\"\n[azure]\nconnection_string = \"{SECRET}\"\n")), vec![]),
        (&plain, vec![("TIDINGS_EDITOR_TOKEN_FILE", cached.path())]),
        (&plain, vec![("TIDINGS_EDITOR_TOKEN", "short-secret")]),
    ] {
        let ran = file.printed(&[], &variables);
        for shown in [&ran.out, &ran.err] {
            assert!(!shown.contains("secret-of") && !shown.contains("short-secret"), "{ran:?}");
        }
    }
    let ran = plain.printed(&[], &[("TIDINGS_EDITOR_TOKEN", SECRET)]);
    assert_line(&ran.out, "# editor_token is set, not shown (environment TIDINGS_EDITOR_TOKEN)");
}

/// An address may contain a user and a password.
#[test]
fn an_address_with_a_password_is_not_shown() {
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:a-secret-of-traces@traces.example"),
        ("TIDINGS_OIDC_ISSUER", "https://id.example"),
        ("TIDINGS_OIDC_AUDIENCE", "tidings"),
        ("TIDINGS_OIDC_KEYS", "https://user:a-secret-of-keys@id.example/keys"),
    ];
    let ran = File::of("").printed(&[], &settings);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(!ran.out.contains("a-secret"), "{}", ran.out);
    assert_line(&ran.out, "# endpoint is set, not shown (environment OTEL_EXPORTER_OTLP_ENDPOINT)");
    assert_line(&ran.out, "issuer = \"https://id.example\"  # environment TIDINGS_OIDC_ISSUER");
}

#[test]
fn the_error_of_an_unknown_key_names_its_line_and_a_similar_key() {
    for (text, refusal) in [
        ("# A site.\nlisen = \"x\"\n", ", line 2: there is no setting lisen; did you mean listen?"),
        ("[oidc]\n\nisuer = \"x\"\n", ", line 3: there is no setting oidc.isuer; did you mean oidc.issuer?"),
        (
            "[limits]\nbody_byte = 1\n",
            ", line 2: there is no setting limits.body_byte; did you mean limits.body_bytes?",
        ),
    ] {
        assert_eq!(File::of(text).refusal(), refusal);
    }
    let refusal = File::of("[nothing_of_the_kind]\nx = 1\n").refusal();
    assert!(refusal.starts_with(", line 1: there is no setting nothing_of_the_kind"), "{refusal}");
}

#[test]
fn the_error_of_an_invalid_value_names_its_line_and_the_accepted_form() {
    for (text, refusal) in [
        ("\nlisten = 8080\n", ", line 2: listen: write a text in quotes, listen = \"…\""),
        ("create = \"yes\"\n", ", line 1: create: write true or false, without quotes"),
        ("cors_origins = \"*\"\n", ", line 1: cors_origins: write an array of texts, cors_origins = [\"…\"]"),
        (
            "[limits]\nbody_bytes = \"1 MB\"\n",
            ", line 2: limits.body_bytes: write a whole number from 1024 to 1073741824, without quotes",
        ),
        (
            "[limits]\nbody_bytes = 12\n",
            ", line 2: limits.body_bytes: \"12\" is not a whole number from 1024 to 1073741824",
        ),
        (
            "store = \"redis:1\"\n",
            ", line 1: store: \"redis:1\" is not a store; write file:PATH, such as file:tidings-data, or azure",
        ),
        ("[log]\nformat = \"xml\"\n", ", line 2: log.format: \"xml\" is not a log format; write json, pretty or auto"),
        ("[oidc]\naudience = \"a\"\n", ", line 2: oidc.audience needs oidc.issuer as well"),
        (
            "[oidc]\nissuer = \"https://id.example\"\naudience = \"a\"\nclient_id = \"b\"\nclient_secret = \"\"\n",
            ", line 5: oidc.client_secret: it is empty; leave it out if the provider knows a public client",
        ),
    ] {
        assert_eq!(File::of(text).refusal(), refusal);
    }
    let refusal = File::of("listen = \n").refusal();
    assert!(refusal.starts_with(", line 1: this is not TOML: "), "{refusal}");
}

const MENU: &str = "[[site.navigation]]\nlabel = \"Topics\"\nurl = \"/tags\"\nchildren = [{ label = \"Moon\", url = \"/tags/moon\" }]\n\n\
                    [[site.navigation]]\nlabel = \"Elsewhere\"\nurl = \"https://mastodon.example/@blog\"\n";

#[test]
fn a_menu_is_printed_as_it_was_set_in_the_file_or_in_the_environment() {
    let site = "[site]\nurl = \"https://blog.example/\"\n";
    let line = "navigation = [{ label = \"Topics\", url = \"/tags\", children = [{ label = \"Moon\", url = \"/tags/moon\" }] }, \
                { label = \"Elsewhere\", url = \"https://mastodon.example/@blog\" }]";
    let file = File::of(&format!("{site}{MENU}"));
    let ran = file.printed(&[], &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_line(&ran.out, &format!("{line}  # file, line 3"));
    let again = File::of(&ran.out).printed(&[], &[]);
    assert!(again.out.contains(&format!("{line}  # file, line ")), "{again:?}");
    let json = r#"[{"label": "Topics", "url": "/tags", "children": [{"label": "Moon", "url": "/tags/moon"}]}, {"label": "Elsewhere", "url": "https://mastodon.example/@blog"}]"#;
    let ran = File::of(site).printed(&[], &[("TIDINGS_SITE_NAVIGATION", json)]);
    assert_line(&ran.out, &format!("{line}  # environment TIDINGS_SITE_NAVIGATION"));
}

#[test]
fn the_error_of_an_invalid_menu_names_the_item() {
    let site = "[site]\nurl = \"https://blog.example/\"\n";
    for (text, refusal) in [
        (
            format!("{site}navigation = \"/about\"\n"),
            ", line 3: site.navigation: write a table of texts for each item, [[site.navigation]]",
        ),
        (
            format!("{site}[[site.navigation]]\nlabel = \"A\"\nurl = 1\n"),
            ", line 3: site.navigation: write a table of texts for each item, [[site.navigation]]",
        ),
        (
            format!("{site}{MENU}[[site.navigation]]\nlabel = \"A\"\nurl = \"about\"\n"),
            ", line 3: site.navigation: item 3: its url \"about\" is neither a path of the site, such as /about, nor an address with http:// or https://",
        ),
    ] {
        assert_eq!(File::of(&text).refusal(), refusal);
    }
    let variables = [("TIDINGS_SITE_URL", "https://blog.example/"), ("TIDINGS_SITE_NAVIGATION", "/about")];
    let refused = File::of("").printed(&[], &variables);
    assert!(refused.complaint().starts_with("TIDINGS_SITE_NAVIGATION: not a list of items in JSON"), "{refused:?}");
}

#[test]
fn the_error_of_an_invalid_variable_names_it() {
    let file = File::of("");
    for (variable, value, refusal) in [
        ("TIDINGS_CREATE", "maybe", "TIDINGS_CREATE: \"maybe\" is neither true nor false"),
        (
            "TIDINGS_LIMITS_CONNECTIONS",
            "0",
            "TIDINGS_LIMITS_CONNECTIONS: \"0\" is not a whole number from 1 to 1000000",
        ),
        ("OTEL_TRACES_SAMPLER_ARG", "2", "OTEL_TRACES_SAMPLER_ARG: 2 is not between 0 and 1"),
    ] {
        let refused = file.printed(&[], &[(variable, value)]);
        assert!(refused.complaint().starts_with(refusal), "{refused:?}");
    }
}

#[test]
fn a_secret_cannot_be_set_in_two_ways() {
    let cached = File::of("a-token-of-more-than-24-characters\n");
    let both =
        [("TIDINGS_EDITOR_TOKEN", "a-token-of-more-than-24-characters"), ("TIDINGS_EDITOR_TOKEN_FILE", cached.path())];
    let refused = File::of("").printed(&[], &both);
    assert_eq!(refused.complaint(), "TIDINGS_EDITOR_TOKEN_FILE: give this or TIDINGS_EDITOR_TOKEN, not both");
    let refused = File::of("editor_token_file = \"no-such-file\"\n").refusal();
    assert!(refused.starts_with(", line 1: editor_token_file: no-such-file cannot be read: "), "{refused}");
}

#[test]
fn a_missing_configuration_file_is_named() {
    for arguments in [["--config", "no-such.toml", "check"], ["check", "--config", "no-such.toml"]] {
        let refused = run_with(&arguments, &[]);
        assert!(refused.complaint().starts_with("the configuration file no-such.toml cannot be read: "), "{refused:?}");
    }
    let refused = run_with(&["export"], &[("TIDINGS_CONFIG", "no-such.toml")]);
    assert!(refused.complaint().starts_with("the configuration file no-such.toml cannot be read: "), "{refused:?}");
}

/// All commands of a site can use one file.
#[test]
fn a_server_and_a_check_use_the_same_configuration_file() {
    let blog = Blog::of(&[("2025-03-04-hello.md", "---\ntitle: Hello\n---\nHello.\n")]);
    let token = File::of("a-token-of-more-than-24-characters\n");
    let file = File::of(&format!(
        "store = \"{}\"\nimport = \"{}\"\neditor_token_file = \"{}\"\n[limits]\nquery_depth = 2\n",
        blog.store(),
        blog.posts().display(),
        token.path(),
    ));
    let serving = Serving::start(&["--config", file.path()]);
    assert_eq!(serving.query("{ posts { totalCount } }")["posts"]["totalCount"], 1);
    let too_deep = serving.ask("{ posts { nodes { tags { name } } } }");
    assert_eq!(too_deep["errors"][0]["extensions"]["code"], "QUERY_TOO_DEEP", "{too_deep}");
    let tokens = serving.ask_as(Some("a-token-of-more-than-24-characters"), "{ tokens { totalCount } }");
    assert_eq!(tokens.get("errors"), None, "{tokens}");
    assert_eq!(serving.stop().0, Some(0));
    assert_eq!(run_with(&["check"], &[("TIDINGS_CONFIG", file.path())]).code, Some(0));
}

/// `--create=false` overrides `true` in the file.
#[test]
fn a_flag_can_switch_off_a_setting_of_the_file() {
    let ran = File::of("create = true\n").printed(&["--create=false"], &[]);
    assert_line(&ran.out, "create = false  # flag --create");
    let ran = File::of("").printed(&["--create"], &[("TIDINGS_CREATE", "0")]);
    assert_line(&ran.out, "create = true  # flag --create");
}

#[test]
fn a_burst_needs_a_rate_that_restores_it_within_an_hour() {
    let refusal = File::of("[limits]\ntoken_burst = 5\n").refusal();
    assert_eq!(refusal, ", line 2: limits.token_burst: it has no effect without limits.token_rate");
    let refusal = File::of("[limits]\naddress_rate = 2\naddress_burst = 7_201\n").refusal();
    let expected =
        "at this rate, a burst of 7201 would take more than an hour to be restored; the highest burst is 7200";
    assert_eq!(refusal, format!(", line 3: limits.address_burst: {expected}"));
}

#[test]
fn the_picture_of_the_site_is_named_by_the_id_of_a_picture() {
    for id in ["x", "post-000000000000", "/assets/0123456789abcdef0123456789abcdef01234567.png"] {
        let refusal = File::of(&format!("[site]\nurl = \"https://blog.example\"\nimage = \"{id}\"\n")).refusal();
        let expected =
            format!("{id:?} is not the id of a picture, such as asset-0123456789abcdef0123456789abcdef01234567");
        assert_eq!(refusal, format!(", line 3: site.image: {expected}"));
    }
    let refusal = File::of("[site]\npost_path = \"/{slug}\"\n").refusal();
    assert_eq!(refusal, ", line 2: site.post_path: it has no effect without site.url");
}

/// Without a proxy, the address is that of the connection.
#[test]
fn the_limits_of_fair_use_apply_to_tokens_and_to_addresses() {
    let blog = Blog::of(&[("2025-03-04-hello.md", "---\ntitle: Hello\n---\nHello.\n")]);
    let token = "a-token-of-more-than-24-characters";
    let file = File::of(&format!(
        "store = \"{}\"\nimport = \"{}\"\neditor_token = \"{token}\"\n[limits]\ntoken_rate = 3\ntoken_burst = 7\naddress_rate = 2\nstorage_requests = 2\nanonymous_storage_requests = 1\n",
        blog.store(),
        blog.posts().display(),
    ));
    let serving = Serving::start(&["--config", file.path()]);
    let limit = "{ rateLimit { scope limit restoreRate } }";
    let of_address = serde_json::json!({ "scope": "ADDRESS", "limit": 20, "restoreRate": 2 });
    assert_eq!(serving.ask(limit)["data"]["rateLimit"], of_address);
    let of_token = serde_json::json!({ "scope": "TOKEN", "limit": 7, "restoreRate": 3 });
    assert_eq!(serving.ask_as(Some(token), limit)["data"]["rateLimit"], of_token);
    let posts = "{ a: post(slug: \"hello\") { title } b: post(slug: \"other\") { title } }";
    for (token, limit) in [(None, "; the limit is 1."), (Some(token), "; the limit is 2.")] {
        let too_dear = serving.ask_as(token, posts);
        let message = too_dear["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains(limit), "{too_dear}");
    }
    assert_eq!(serving.stop().0, Some(0));
}
