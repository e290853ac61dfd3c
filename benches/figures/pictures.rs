//! Pictures in other forms, made by a running `tidings serve` for clients that all ask at once: how many a second, how long each takes, how much memory the
//! process needs, and how long a client waits meanwhile that asks for posts. The rule: no address is asked for twice, so each is made and not found.

use std::fs;
use std::io::{BufRead, BufReader, Cursor};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant as Moment};

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};

use crate::http_client::Client;
use crate::start::SERVING;
use crate::table::{Figure, with_commas};
use crate::{Result, latest};

/// Connections that ask for pictures, each for one after another.
const CLIENTS: usize = 32;
/// The size of a picture, as a site has it.
const SIZE: (u32, u32) = (1600, 1067);
/// What is asked of each picture: the widths that are smaller, and the pictures of links.
const FORMS: [&str; 11] = [
    "width=160",
    "width=320",
    "width=480",
    "width=640",
    "width=960",
    "width=1280",
    "open-graph=0",
    "open-graph=25",
    "open-graph=50",
    "open-graph=75",
    "open-graph=100",
];
/// How long the client asks that is measured without others.
const ALONE: Duration = Duration::from_secs(5);
/// Between two looks at the memory of the server.
const SAMPLE: Duration = Duration::from_millis(20);
/// Long enough for a token; the server is gone when the run ends.
const TOKEN: &str = "a-token-of-a-measurement-on-this-machine";

/// The server, which is stopped with this value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What one client has seen.
#[derive(Default)]
struct Seen {
    times: Vec<Duration>,
    /// Answers with another status than 200.
    refused: usize,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.refused += other.refused;
    }

    /// Sorted, for its percentiles.
    fn sorted(mut self) -> Self {
        self.times.sort_unstable();
        self
    }

    fn percentiles(&self) -> String {
        let at =
            |share: usize| self.times.get(self.times.len() * share / 100).map_or(0.0, |time| time.as_secs_f64() * 1e3);
        format!("p50 {:.1} ms, p99 {:.1} ms", at(50), at(99))
    }
}

/// `resizes`: how many addresses are asked for.
pub fn figures(resizes: usize) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let (server, address) = start(folder.path())?;
    let pid = server.0.id();
    let before = anonymous_kib(pid)?;
    let (uploads, uploaded_in) = upload(address, resizes.div_ceil(FORMS.len()))?;
    let mut addresses: Vec<String> =
        FORMS.iter().flat_map(|form| uploads.iter().map(move |url| format!("{url}?{form}"))).collect();
    addresses.truncate(resizes);
    let alone = queries(address, &AtomicBool::new(false), Some(ALONE))?.sorted();
    let (is_over, peak) = (AtomicBool::new(false), Mutex::new(before));
    let began = Moment::now();
    let (pictures, meanwhile) = thread::scope(|scope| {
        let sampler = scope.spawn(|| sample(pid, &is_over, &peak));
        let queries = scope.spawn(|| queries(address, &is_over, None));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let addresses = &addresses;
                scope.spawn(move || ask(address, addresses, number))
            })
            .collect();
        let pictures: Result<Vec<Seen>> =
            clients.into_iter().map(|client| client.join().expect("no client panics")).collect();
        let took = began.elapsed();
        is_over.store(true, Ordering::Relaxed);
        sampler.join().expect("the sampler does not panic")?;
        let meanwhile = queries.join().expect("the client does not panic")?.sorted();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(((pictures?, took), meanwhile))
    })?;
    let (pictures, took) = pictures;
    let mut seen = Seen::default();
    pictures.into_iter().for_each(|of_client| seen.add(of_client));
    let seen = seen.sorted();
    let peak = *peak.lock().expect("nobody panics with it");
    let rate = |count: usize, time: Duration| with_commas(count as f64 / time.as_secs_f64());
    Ok(vec![
        Figure::new("pictures, uploads by one client", format!("{} /s", rate(uploads.len(), uploaded_in))),
        Figure::new(
            format!("pictures, {} by {CLIENTS} clients", with_commas(seen.times.len() as f64)),
            format!("{} /s, {}, {} refused", rate(seen.times.len(), took), seen.percentiles(), seen.refused),
        ),
        Figure::new("pictures, memory (RssAnon)", format!("{} MiB, at the start {} MiB", peak >> 10, before >> 10)),
        Figure::new("pictures, a query of posts alone", alone.percentiles()),
        Figure::new(
            "pictures, a query of posts meanwhile",
            format!("{}, {} answers", meanwhile.percentiles(), meanwhile.times.len()),
        ),
    ])
}

fn start(folder: &Path) -> Result<(Server, SocketAddr)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
    let store = format!("--store=file:{}", folder.join("store").display());
    command.args(["serve", "--listen=127.0.0.1:0", "--import=examples/blog"]).arg(store);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("TIDINGS_EDITOR_TOKEN", TOKEN);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().ok_or("the child's output is piped")?;
    let server = Server(child);
    for line in BufReader::new(output).lines() {
        let line = line?;
        if let Some(place) = line.strip_prefix(SERVING).and_then(|rest| rest.split('/').next()) {
            return Ok((server, place.parse()?));
        }
    }
    Err("the server has ended without an address".into())
}

/// The addresses of this many pictures, and how long their uploads took.
fn upload(address: SocketAddr, count: usize) -> Result<(Vec<String>, Duration)> {
    let mut client = Client::connect(address)?;
    let (mut urls, mut took) = (Vec::new(), Duration::ZERO);
    for number in 0..count {
        let file = photograph(number)?;
        let head = format!(
            "POST /assets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n",
            file.len()
        );
        let began = Moment::now();
        let (status, body) = client.send(&[head.as_bytes(), &file].concat())?;
        took += began.elapsed();
        if status != 201 {
            return Err(format!("an upload was answered with {status}: {}", String::from_utf8_lossy(body)).into());
        }
        let answer: serde_json::Value = serde_json::from_slice(body)?;
        urls.push(answer["asset"]["url"].as_str().ok_or("an upload has no address")?.to_owned());
    }
    Ok((urls, took))
}

/// A picture with the smooth parts, edges and noise of a photograph; each number gives another one.
fn photograph(number: usize) -> Result<Vec<u8>> {
    let (width, height) = SIZE;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1);
    let phase = (number % 97) as f32 / 15.0;
    let image = RgbImage::from_fn(width, height, |x, y| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let noise = (state % 17) as f32 - 8.0;
        let (across, down) = (x as f32 / width as f32, y as f32 / height as f32);
        let edge = if (across * 9.0 + phase).sin() > (down * 7.0).cos() { 45.0 } else { 0.0 };
        let shade = |turn: f32| (110.0 + 70.0 * (across * turn + down * 3.0 + phase).sin() + edge + noise) as u8;
        Rgb([shade(3.0), shade(4.1), shade(5.3)])
    });
    let mut written = Cursor::new(Vec::new());
    JpegEncoder::new_with_quality(&mut written, 90).encode_image(&image)?;
    Ok(written.into_inner())
}

/// One of the clients: every so many-th address, beginning with its number.
fn ask(address: SocketAddr, addresses: &[String], number: usize) -> Result<Seen> {
    let mut client = Client::connect(address)?;
    let mut seen = Seen::default();
    for path in addresses.iter().skip(number).step_by(CLIENTS) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let began = Moment::now();
        let (status, _) = client.send(request.as_bytes())?;
        seen.times.push(began.elapsed());
        seen.refused += usize::from(status != 200);
    }
    Ok(seen)
}

/// The newest posts, again and again.
fn queries(address: SocketAddr, is_over: &AtomicBool, at_most: Option<Duration>) -> Result<Seen> {
    let (mut client, document) = (Client::connect(address)?, latest::document());
    let (mut seen, begun) = (Seen::default(), Moment::now());
    while !is_over.load(Ordering::Relaxed) && at_most.is_none_or(|most| begun.elapsed() < most) {
        let began = Moment::now();
        if !client.query(&document)?.starts_with(b"{\"data\":{\"posts\"") {
            return Err("an answer without posts".into());
        }
        seen.times.push(began.elapsed());
        thread::sleep(Duration::from_millis(5));
    }
    Ok(seen)
}

fn sample(pid: u32, is_over: &AtomicBool, peak: &Mutex<u64>) -> Result<()> {
    while !is_over.load(Ordering::Relaxed) {
        let now = anonymous_kib(pid)?;
        let mut peak = peak.lock().expect("nobody panics with it");
        *peak = now.max(*peak);
        drop(peak);
        thread::sleep(SAMPLE);
    }
    Ok(())
}

/// The memory of a process that is no file.
fn anonymous_kib(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).ok_or("the system has no RssAnon")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
