//! The help, the manual pages and the shell completions of the command line.

use std::process::Command;

use super::run_with;
use crate::support::command::run;

const COMMANDS: [&str; 11] = [
    "serve",
    "import",
    "export",
    "check",
    "schema",
    "token",
    "token create",
    "token list",
    "token revoke",
    "man",
    "completions",
];

fn help(command: &str) -> String {
    let arguments: Vec<&str> = command.split(' ').chain(["--help"]).collect();
    let ran = run(&arguments);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out
}

/// The flags in a help text, each with the text up to the next flag.
fn flags(help: &str) -> Vec<(String, String)> {
    let mut flags: Vec<(String, String)> = Vec::new();
    for line in help.lines() {
        match line.trim_start().split([' ', '[', '=']).find(|word| word.starts_with("--")) {
            Some(flag) if line.trim_start().starts_with('-') => {
                let (_, rest) = line.split_once(flag).unwrap_or_default();
                flags.push((flag.to_owned(), rest.to_owned()));
            }
            _ => {
                if let Some((_, text)) = flags.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    flags
}

#[test]
fn every_command_and_every_flag_has_a_description() {
    let first = run(&["--help"]).out;
    for command in COMMANDS {
        let help = help(command);
        let about = help.lines().next().unwrap_or_default();
        assert!(about.split(' ').count() > 3, "{command}: {about}");
        assert!(command.contains(' ') || first.contains(&format!("\n  {command} ")), "{command}: {first}");
        let flags = flags(&help);
        assert!(flags.iter().any(|(flag, _)| flag == "--config"), "{command}: {help}");
        // These two have a short description.
        let flags = flags.into_iter().filter(|(flag, _)| !["--help", "--version"].contains(&flag.as_str()));
        for (flag, text) in flags {
            assert!(text.split_whitespace().count() > 2, "{command} {flag} has no description: {help}");
        }
    }
}

/// A terminal of 100 columns breaks no line of a help text.
#[test]
fn the_help_has_at_most_100_columns() {
    for command in COMMANDS {
        let help = help(command);
        let long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
        assert_eq!(long, Vec::<&str>::new(), "{command}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    assert_eq!(run(&["man", path]).code, Some(0));
    let printed = run(&["man"]);
    for command in COMMANDS {
        let file = folder.path().join(format!("tidings-{}.1", command.replace(' ', "-")));
        let page = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{page}");
        if !command.contains(' ') {
            assert!(printed.out.contains(&format!("tidings\\-{command}(1)")), "{command}: {}", printed.out);
        }
    }
    let first = std::fs::read_to_string(folder.path().join("tidings.1")).expect("the first page");
    assert_eq!(first, printed.out);
    let serve = std::fs::read_to_string(folder.path().join("tidings-serve.1")).expect("a page");
    for expected in ["\\-\\-print\\-config", "\\-\\-metrics\\-listen", "TIDINGS_OIDC_ISSUER"] {
        assert!(serve.contains(expected), "{expected}: {serve}");
    }
}

#[test]
#[ignore = "needs groff"]
fn groff_reads_every_page_of_the_manual_without_complaint() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(&["man", folder.path().to_str().expect("UTF-8")]).code, Some(0));
    for page in std::fs::read_dir(folder.path()).expect("the pages") {
        assert_reads(&page.expect("a page").path());
    }
}

fn assert_reads(page: &std::path::Path) {
    let output = Command::new("groff").args(["-man", "-Tutf8", "-P-cbou", "-ww"]).arg(page).output();
    let output = output.expect("groff runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.trim().is_empty(), "{complaints}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("--config") && text.contains("NAME\n"), "{text}");
}

/// Calls the completion function like bash when the user types a tab.
#[test]
fn bash_completes_commands_and_flags() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tidings.bash");
    std::fs::write(&file, run(&["completions", "bash"]).out).expect("a file");
    let complete = |words: &str| {
        let script = format!(
            "source {}; COMP_WORDS=(tidings {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _tidings tidings \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            file.display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(complete("serve --print"), "--print-config");
    assert_eq!(complete("serve --metrics"), "--metrics-listen");
    assert_eq!(complete("che"), "check");
    assert_eq!(complete("token rev"), "revoke");
}

#[test]
fn completions_exist_for_the_other_shells() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let ran = run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains("print-config"), "{shell}");
    }
    let refused = run_with(&["completions", "dos"], &[]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("possible values: bash"), "{refused:?}");
}
