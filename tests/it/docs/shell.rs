//! Runs the `sh` blocks of a page in their order in one shell, as a reader would type them. The rule: all processes that the shell starts end
//! with it, whatever happens, and the settings and ports of the machine have no effect.
//!
//! The folder is new and contains the files that a reader of the page has: `examples/`, `packaging/`, `schema.graphql`, and the files of
//! `given/`. `tidings` and `cargo run --release --` run the binary that was built. Servers run in the background, and the shell continues when
//! they listen.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::block::{Block, Mark};
use super::printed::compare;
use super::root;
use super::script::{in_background, with_free_ports};
use crate::support::azurite::{Azurite, AzuriteBlobs, connection_string};
use crate::support::command::without_settings;

/// Much longer than a page takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// The connection string of Azurite at its default port.
const EMULATOR: &str = "UseDevelopmentStorage=true";
/// Printed before each block, so that the output can be split by block.
const MARK: &str = "@@ block ";

const PREAMBLE: &str = r#"
set -eu -o pipefail
PATH=$PWD/.bin:$PATH
at() { printf '\n@@ block %s\n' "$1"; printf '\n@@ block %s\n' "$1" >&2; }
stop_servers() { for server in $(jobs -p); do kill -TERM "$server" 2>/dev/null || true; wait "$server" || true; done; }
trap stop_servers EXIT
listens() {
  for _ in $(seq 1200); do
    if grep -q '^Serving GraphQL at' "$2"; then return; fi
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  echo "the server does not run:" >&2; cat "$2" >&2; return 1
}
"#;

pub fn run(page: &str, blocks: &[&Block]) {
    let commands: Vec<&Block> = blocks.iter().copied().filter(|block| block.language == "sh").collect();
    if commands.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path());
    let mut text = String::from(PREAMBLE);
    for block in &commands {
        text += if block.mark == Mark::ServerStopped { "stop_servers\n" } else { "" };
        text += &format!("at {}\n{}\n", block.line, in_background(&block.text, folder.path()));
    }
    let azurite = text.contains(EMULATOR).then(Azurite::own);
    let blobs = text.contains("az://").then(AzuriteBlobs::start);
    let text = match &azurite {
        Some(azurite) => {
            let blobs = blobs.as_ref().map(|blobs| format!("BlobEndpoint={};", blobs.endpoint));
            text.replace(EMULATOR, &(connection_string(&azurite.endpoint) + &blobs.unwrap_or_default()))
        }
        None => text,
    };
    let mut ports = HashMap::new();
    let script = folder.path().join(".script");
    fs::write(&script, with_free_ports(&text, &mut ports)).expect("a file");
    let listen = ports.get("8080").map_or("127.0.0.1:0".to_owned(), |port| format!("127.0.0.1:{port}"));
    let status = Shell::start(&script, folder.path(), &listen).wait(page);
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("the output of the shell");
    let (out, err) = (by_block(&read(".out")), by_block(&read(".err")));
    let describe = |block: &Block, what: &str| {
        let printed = |by: &HashMap<usize, String>| by.get(&block.line).cloned().unwrap_or_default();
        format!(
            "{page}:{}: {what}\n{}\nprinted\n{}\nand as errors\n{}",
            block.line,
            block.text,
            printed(&out),
            printed(&err)
        )
    };
    let reached = commands.iter().rev().find(|block| out.contains_key(&block.line)).expect("the first block at least");
    assert!(status.success(), "{}", describe(reached, &format!("these commands fail ({status})")));
    for block in &commands {
        if let Err(reason) = check_answers(block, &out[&block.line]) {
            panic!("{}", describe(block, &reason));
        }
    }
    for (at, expected) in blocks.iter().enumerate().filter(|(_, block)| block.mark == Mark::Printed) {
        let before = blocks[..at].iter().rev().find(|block| block.language == "sh").expect("commands that print it");
        if let Err(line) = compare(&expected.text, &out[&before.line]) {
            panic!("{}", describe(before, &format!("the page says that this prints {line:?}")));
        }
    }
}

fn lay_out(folder: &Path) {
    for name in ["examples", "packaging"] {
        copy(&root().join(name), &folder.join(name));
    }
    copy(&root().join("tests/it/docs/given"), folder);
    fs::copy(root().join("schema.graphql"), folder.join("schema.graphql")).expect("the schema");
    let bin = folder.join(".bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(env!("CARGO_BIN_EXE_tidings"), bin.join("tidings")).expect("a link");
    // curl fails on a status of 400 and above, because the reader would see a failure; and each answer ends with a newline.
    let curl = bin.join("curl");
    fs::write(&curl, "#!/bin/sh\nPATH=${PATH#*:} exec curl --fail-with-body -sS --max-time 60 -w '\\n' \"$@\"\n")
        .expect("a file");
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true if path.ends_with("node_modules") => {}
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a copy")),
        }
    }
}

/// A shell and the processes that it starts: one process group, which is killed as a whole.
struct Shell(Child);

impl Shell {
    fn start(script: &Path, folder: &Path, listen: &str) -> Self {
        let output = |name| Stdio::from(fs::File::create(folder.join(name)).expect("a file"));
        let mut command = Command::new("bash");
        without_settings(command.arg(script))
            .env("TIDINGS_LISTEN", listen)
            .env("HOME", folder)
            .env("LC_ALL", "C.UTF-8");
        command.current_dir(folder).process_group(0);
        command.stdin(Stdio::null()).stdout(output(".out")).stderr(output(".err"));
        Self(command.spawn().expect("bash runs: the pages' commands need it"))
    }

    fn wait(&mut self, page: &str) -> ExitStatus {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("its state") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{page}: the commands have not ended within {PATIENCE:?}");
    }
}

/// Runs on a panic too.
impl Drop for Shell {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

fn by_block(printed: &str) -> HashMap<usize, String> {
    let mark = format!("\n{MARK}");
    let parts = printed.split(&mark).skip(1).filter_map(|part| part.split_once('\n'));
    parts.filter_map(|(line, text)| Some((line.trim().parse().ok()?, text.to_owned()))).collect()
}

/// GraphQL reports errors in the body of an answer; its status may be 200.
fn check_answers(block: &Block, out: &str) -> Result<(), String> {
    let has_errors = out.contains("\"errors\":[{") || out.contains("\"userErrors\":[{");
    match &block.mark {
        Mark::Refused(code) if !out.contains(&format!("\"code\":\"{code}\"")) => {
            Err(format!("no error of the code {code}"))
        }
        Mark::Refused(_) => Ok(()),
        _ if has_errors => Err("an answer with errors".to_owned()),
        _ => Ok(()),
    }
}

#[test]
#[should_panic(expected = "these commands fail")]
fn a_failing_command_is_reported_with_its_page_and_line() {
    let block = |line, text: &str| Block { line, language: "sh".into(), text: text.into(), mark: Mark::None };
    run("page.md", &[&block(3, "true\n"), &block(7, "tidings no-such-command\n"), &block(9, "true\n")]);
}

#[test]
#[should_panic(expected = "page.md:3: an answer with errors")]
fn an_answer_with_errors_fails_its_page() {
    let text = "tidings serve --create\ncurl http://127.0.0.1:8080/graphql -H 'Accept: application/json' --json '{\"query\":\"{ no }\"}'\n";
    run("page.md", &[&Block { line: 3, language: "sh".into(), text: text.into(), mark: Mark::None }]);
}

#[test]
fn a_server_started_by_a_page_ends_with_the_page() {
    let beside = tempfile::tempdir().expect("a folder");
    let note = beside.path().join("process");
    let text = format!("tidings serve --create\necho $! > {}\n", note.display());
    run("page.md", &[&Block { line: 3, language: "sh".into(), text, mark: Mark::None }]);
    let process = fs::read_to_string(&note).expect("the server's process");
    assert!(!Path::new("/proc").join(process.trim()).exists(), "the server {process} still runs");
}
