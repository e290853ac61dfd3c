//! The `tidings` command as a process. The rule: it gets no setting of the user who runs the tests, and no process outlives its test.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::store::embedded::EmbeddedStore;

use super::folder::write;
use super::site::Site;

/// Far more than any of these commands takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
const ADDRESS_LINE: &str = "Serving GraphQL at http://";

/// The exit code and the output of a command that has ended.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a command prints UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The one line that a failed command prints, without `tidings: `.
    pub fn complaint(&self) -> &str {
        assert_eq!((self.code, self.out.as_str()), (Some(1), ""), "{self:?}");
        let line = self.err.strip_suffix('\n').expect("a line");
        assert!(!line.contains('\n') && !line.contains("panicked"), "more than one line: {self:?}");
        line.strip_prefix("tidings: ").unwrap_or_else(|| panic!("{self:?}"))
    }

    /// The last line of an import, without the lines before it.
    pub fn summary(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }

    /// The counts of posts in the last line of an import, and the lines of its report.
    pub fn counts_and_lines(&self) -> (String, Vec<String>) {
        let summary = self.summary().strip_prefix("Imported: ").unwrap_or_else(|| panic!("{self:?}"));
        let counts = summary.split(';').next().unwrap_or_default().to_owned();
        (counts, self.err.lines().skip(1).map(str::to_owned).collect())
    }
}

/// Names another build of the command than the one of the tests, such as `target/release/tidings`.
const BINARY: &str = "TIDINGS_BINARY";

#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
fn binary() -> PathBuf {
    std::env::var_os(BINARY).map_or_else(|| env!("CARGO_BIN_EXE_tidings").into(), PathBuf::from)
}

/// The command with the smallest environment.
pub fn tidings(arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    without_settings(command.args(arguments));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The command with files that cannot grow past this size, as if the disk were full.
#[cfg(unix)]
pub fn limited(arguments: &[&str], bytes: u64) -> Command {
    // Blocks of 512 bytes (POSIX, "ulimit"); bash counts in 1,024 without POSIXLY_CORRECT. The signal is ignored, because it would end the process
    // before the error is seen.
    after_script(arguments, &format!("trap '' XFSZ; ulimit -S -f {}", bytes.div_ceil(512)))
}

/// The command as a process that may have only so many files open.
#[cfg(unix)]
pub fn with_open_files(arguments: &[&str], files: u64) -> Command {
    after_script(arguments, &format!("ulimit -n {files}"))
}

#[cfg(unix)]
fn after_script(arguments: &[&str], script: &str) -> Command {
    let plain = tidings(arguments);
    let mut command = Command::new("sh");
    without_settings(&mut command).env("POSIXLY_CORRECT", "1");
    command.args(["-c", &format!("{script} && exec \"$0\" \"$@\"")]).arg(plain.get_program()).args(plain.get_args());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Hides the settings of the user who runs the tests from a command.
pub fn without_settings(command: &mut Command) -> &mut Command {
    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| !is_setting(name)))
}

fn is_setting(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    ["TIDINGS_", "AZURE_", "AWS_", "OTEL_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
        .iter()
        .any(|ours| name.starts_with(ours))
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> Ran {
    finish(tidings(arguments))
}

pub fn finish(mut command: Command) -> Ran {
    let child = command.spawn().expect("the command starts");
    let (done, waiting) = mpsc::channel();
    let id = child.id();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    match waiting.recv_timeout(PATIENCE) {
        Ok(output) => Ran::of(output.expect("its output")),
        Err(_) => {
            signal(id, "KILL");
            panic!("{command:?} has not ended within {PATIENCE:?}");
        }
    }
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "no process {process}");
}

/// A running `tidings serve` that has printed its address.
pub struct Serving {
    child: Child,
    pub address: String,
    output: Receiver<String>,
    errors: Receiver<String>,
}

impl Serving {
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    pub fn start_with(arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        Self::start_of(arguments, settings, tidings)
    }

    /// `command` makes the process from the arguments.
    pub fn start_of(arguments: &[&str], settings: &[(&str, &str)], command: impl FnOnce(&[&str]) -> Command) -> Self {
        Self::try_start_of(arguments, settings, command)
            .unwrap_or_else(|errors| panic!("it never printed its address: {errors:?}"))
    }

    /// As [`start_of`](Self::start_of), but returns the lines of the standard error if it does not start.
    pub fn try_start_of(
        arguments: &[&str],
        settings: &[(&str, &str)],
        command: impl FnOnce(&[&str]) -> Command,
    ) -> Result<Self, Vec<String>> {
        let mut arguments = arguments.to_vec();
        arguments.insert(0, "serve");
        arguments.extend(["--listen", "127.0.0.1:0"]);
        let mut child = command(&arguments).envs(settings.iter().copied()).spawn().expect("the command starts");
        let output = lines_of(child.stdout.take().expect("its output"));
        let errors = lines_of(child.stderr.take().expect("its errors"));
        let mut serving = Self { child, address: String::new(), output, errors };
        serving.address = serving.wait_for_address()?;
        Ok(serving)
    }

    fn wait_for_address(&self) -> Result<String, Vec<String>> {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(line) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if let Some(rest) = line.strip_prefix(ADDRESS_LINE) {
                return Ok(rest.strip_suffix("/graphql").expect("a URL that ends with /graphql").to_owned());
            }
        }
        Err(self.errors.try_iter().collect())
    }

    /// The data of a query that must succeed without errors, over a connection of its own.
    pub fn query(&self, query: &str) -> Value {
        let answer = self.ask(query);
        assert_eq!(answer.get("errors"), None, "{query}");
        answer["data"].clone()
    }

    pub fn ask(&self, query: &str) -> Value {
        self.ask_as(None, query)
    }

    /// The answer to a client with this token.
    pub fn ask_as(&self, token: Option<&str>, query: &str) -> Value {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
        self.post(&headers, &json!({ "query": query })).1
    }

    /// The answer of `/graphql` to a POST with these headers and this body: its head and its JSON.
    pub fn post(&self, headers: &[(&str, &str)], body: &Value) -> (String, Value) {
        let plain = [("content-type", "application/json"), ("accept", "application/json")];
        let (head, body) = send(&self.address, "POST /graphql", &[&plain, headers].concat(), &body.to_string());
        let json = serde_json::from_str(&body).unwrap_or_else(|e| panic!("{e}: {head}\n{body}"));
        (head, json)
    }

    /// The answer of `path` to a POST with these headers and this body: its head and its body.
    pub fn post_to(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
        send(&self.address, &format!("POST {path}"), headers, body)
    }

    /// The status line of a GET.
    pub fn status_of(&self, path: &str) -> String {
        let (answer, _) = self.get(path, &[]);
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// The answer of `path` to a GET with these headers: its head and its body.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> (String, String) {
        get(&self.address, path, headers)
    }

    /// Waits for the next line that begins like this, and returns the rest of it.
    pub fn wait_for_line(&self, beginning: &str) -> String {
        line_of(&self.output, beginning).unwrap_or_else(|| panic!("no line begins with {beginning:?}"))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Stops it as a service manager does. Returns its exit code and the lines after the address.
    pub fn stop(mut self) -> (Option<i32>, Vec<String>) {
        self.signal("TERM");
        let status = self.wait();
        (status.code(), self.output.iter().collect())
    }

    /// As [`stop`](Self::stop), with the lines of the standard error instead.
    pub fn stop_with_errors(mut self) -> (Option<i32>, Vec<String>) {
        self.signal("TERM");
        let status = self.wait();
        (status.code(), self.errors.iter().collect())
    }

    /// Kills it with SIGKILL, which a process cannot handle.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs until it is killed");
        self.wait();
    }

    fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("its state") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it has not stopped within {PATIENCE:?}");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running `tidings import --watch` that has imported its folder once.
pub struct Watching {
    child: Child,
    output: Receiver<String>,
    errors: Receiver<String>,
}

impl Watching {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the command starts");
        let output = lines_of(child.stdout.take().expect("its output"));
        let errors = lines_of(child.stderr.take().expect("its errors"));
        let watching = Self { child, output, errors };
        watching.wait_for("Watching ");
        watching
    }

    /// Waits for the next line that begins like this, and returns the rest of it.
    pub fn wait_for(&self, beginning: &str) -> String {
        line_of(&self.output, beginning)
            .unwrap_or_else(|| panic!("{beginning:?}: {:?}", self.errors.try_iter().collect::<Vec<_>>()))
    }

    /// As [`wait_for`](Self::wait_for), of the standard error.
    pub fn wait_for_error(&self, beginning: &str) -> String {
        line_of(&self.errors, beginning).unwrap_or_else(|| panic!("no error begins with {beginning:?}"))
    }

    /// Returns its exit code and the lines of the standard error that nobody has waited for.
    pub fn stop(mut self, name: &str) -> (Option<i32>, Vec<String>) {
        signal(self.child.id(), name);
        let status = self.child.wait().expect("its state");
        (status.code(), self.errors.iter().collect())
    }

    pub fn kill(mut self) {
        self.child.kill().expect("it runs until it is killed");
        self.child.wait().expect("its state");
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The rest of the next line that begins like this.
fn line_of(lines: &Receiver<String>, beginning: &str) -> Option<String> {
    let deadline = Instant::now() + PATIENCE;
    while let Ok(line) = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if let Some(rest) = line.strip_prefix(beginning) {
            return Some(rest.to_owned());
        }
    }
    None
}

/// Sends a GET over a connection of its own. Returns the head and the body of the answer.
pub fn get(address: &str, path: &str, headers: &[(&str, &str)]) -> (String, String) {
    send(address, &format!("GET {path}"), headers, "")
}

fn send(address: &str, what: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let head = format!("{what} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{length}{headers}\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_owned(), body.to_owned())
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).all(|line| send.send(line).is_ok())
    });
    lines
}

/// A folder of posts and a store beside it.
pub struct Blog {
    folder: TempDir,
}

impl Blog {
    pub fn of(files: &[(&str, &str)]) -> Self {
        let blog = Self { folder: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(blog.posts()).expect("a folder");
        for (name, text) in files {
            blog.write(name, text);
        }
        blog
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn posts(&self) -> PathBuf {
        self.path().join("posts")
    }

    pub fn write(&self, name: &str, text: &str) {
        write(&self.posts(), name, text);
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.posts().join(name)).expect("the file was there");
    }

    /// The store as `--store` takes it.
    pub fn store(&self) -> String {
        format!("file:{}", self.path().join("store").display())
    }

    /// Imports the posts into the store.
    pub fn import(&self) -> Ran {
        self.import_of(&self.posts(), &[])
    }

    pub fn import_of(&self, path: &Path, more: &[&str]) -> Ran {
        let (path, store) = (path.display().to_string(), self.store());
        run(&[&["import", &path, "--store", &store], more].concat())
    }

    /// Exports the store.
    pub fn export(&self) -> String {
        let ran = run(&["export", "--store", &self.store()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out
    }

    pub fn check(&self) -> Ran {
        run(&["check", "--store", &self.store()])
    }

    /// The store, opened in this process; no command can open it meanwhile.
    pub async fn site(&self) -> Site {
        let store = EmbeddedStore::open(&self.path().join("store")).expect("the store opens");
        Site::over(Arc::new(store)).await
    }

    /// The answer to a query over the present store.
    pub async fn query(&self, query: &str) -> Value {
        self.site().await.query(query).await
    }
}
