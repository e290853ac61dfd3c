//! The first run of the sample on a terminal, which `script` of util-linux makes. The rule: a new user sees what was imported, one line for each event, and at the
//! end the address to open.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::support::command::{Blog, tidings};

/// A server on a terminal of its own; the end of the terminal ends it.
struct OnTerminal {
    script: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    /// What was printed until now.
    printed: Vec<String>,
}

impl OnTerminal {
    fn start(arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        let plain = tidings(arguments);
        let words = [plain.get_program()].into_iter().chain(plain.get_args());
        let quoted: Vec<String> =
            words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))).collect();
        let mut command = Command::new("script");
        command.args(["-q", "-e", "-c", &format!("echo $$; exec {}", quoted.join(" ")), "/dev/null"]);
        command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh").envs(settings.iter().copied());
        let mut script = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("script runs");
        let lines = BufReader::new(script.stdout.take().expect("its output")).lines();
        Self { script, lines, printed: Vec::new() }
    }

    /// Reads until a line begins like this.
    fn read_to(&mut self, beginning: &str) {
        while !self.printed.last().is_some_and(|line| line.starts_with(beginning)) {
            let line = self.lines.next().unwrap_or_else(|| panic!("it has ended: {:#?}", self.printed));
            self.printed.push(line.expect("a line").replace('\r', ""));
        }
    }

    /// Sends the signal to the server. Returns its exit code and all lines.
    fn stop(mut self, signal: &str) -> (Option<i32>, Vec<String>) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.printed[0]]).status();
        assert!(sent.expect("kill runs").success());
        while let Some(Ok(line)) = self.lines.next() {
            self.printed.push(line.replace('\r', ""));
        }
        (self.script.wait().expect("its exit code").code(), std::mem::take(&mut self.printed))
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

fn first_run(settings: &[(&str, &str)], signal: &str) -> Vec<String> {
    let blog = Blog::of(&[]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog").display().to_string();
    let arguments = ["serve", "--store", &blog.store(), "--import", &example, "--listen", "127.0.0.1:0"];
    let mut serving = OnTerminal::start(&arguments, settings);
    serving.read_to("Open http://127.0.0.1:");
    let (code, lines) = serving.stop(signal);
    assert_eq!(code, Some(0), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("Stopped."), "{lines:#?}");
    lines
}

#[test]
fn the_first_run_of_the_sample_ends_with_the_address_and_has_nothing_to_complain_about() {
    for (settings, is_coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false), (&[("NO_COLOR", "")], true)] {
        let lines = first_run(settings, "TERM");
        for text in ["skipped  ", "note     ", "ignored  ", "failed   ", "WARN", "ERROR"] {
            assert!(!lines.iter().any(|line| line.contains(text)), "{text}: {lines:#?}");
        }
        let logged: Vec<&String> = lines.iter().filter(|line| line.contains("content.changed")).collect();
        assert_eq!(logged.len(), 1, "{lines:#?}");
        assert!(logged[0].contains("INFO"), "{logged:?}");
        assert_eq!(logged[0].contains("\u{1b}[32m"), is_coloured, "{logged:?}");
        let summary = lines.iter().find(|line| line.contains("Imported: 26 created, ")).expect("the report");
        assert!(
            summary.contains(", 0 skipped, 0 failed;")
                && summary.contains("; pictures and files: 20 created, 0 unchanged")
        );
    }
}

#[test]
fn the_end_of_the_terminal_session_stops_the_server_cleanly() {
    first_run(&[], "HUP");
}
