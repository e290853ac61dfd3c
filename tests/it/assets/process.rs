//! A server under hostile pictures, as a process. The rule: each is refused, the process stays small, and a well-behaved client is served meanwhile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::files::{black_png, decoded, png, png_that_says, progressive_jpeg};
use crate::support::command::Serving;

pub const TOKEN: &str = "a-token-of-the-pictures-of-the-tests";
/// Kinds of hostile pictures.
const ATTACKS: usize = 4;
/// The bound of the whole process, in MiB.
const MEMORY_MAX: u64 = 480;

/// The status of an answer and its body; 0 if there is no server.
pub fn post(address: &str, query: &str, length: usize, pieces: impl Iterator<Item = Vec<u8>>) -> (u16, Vec<u8>) {
    let Ok(mut stream) = TcpStream::connect(address.trim_start_matches("http://")) else { return (0, Vec::new()) };
    let head = format!(
        "POST /assets{query} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    for piece in std::iter::once(head.into_bytes()).chain(pieces) {
        // The server closes the connection of a client that sends too much.
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    parse(&answer)
}

pub fn get(address: &str, path: &str) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    parse(&answer)
}

fn parse(answer: &[u8]) -> (u16, Vec<u8>) {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(answer.len());
    let head = String::from_utf8_lossy(&answer[..end]);
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, answer.get(end + 4..).unwrap_or_default().to_vec())
}

/// The most memory that the process has used so far, in MiB.
fn memory_peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

#[test]
fn hostile_pictures_take_bounded_memory_and_others_are_served_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file:{}", folder.path().join("data").display());
    // The peak is of what the server uses, not of what its allocator has not yet returned.
    let settings = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("MIMALLOC_PURGE_DELAY", "0")];
    let serving = Serving::start_with(&["--store", &store, "--create"], &settings);
    let address = serving.address.clone();
    let attack = |number: usize| {
        let address = address.clone();
        std::thread::spawn(move || match number % ATTACKS {
            0 => post(&address, "", 50_000_000, (0..50).map(|_| vec![0xff; 1_000_000])).0,
            1 => {
                let file = png_that_says(30_000, 30_000);
                post(&address, "", file.len(), std::iter::once(file)).0
            }
            // The largest that are accepted.
            2 => {
                let file = black_png(5_000, 5_000);
                post(&address, "", file.len(), std::iter::once(file)).0
            }
            _ => {
                let file = progressive_jpeg(5_000, 5_000);
                post(&address, "", file.len(), std::iter::once(file)).0
            }
        })
    };
    let before = memory_peak(serving.id());
    let attacks: Vec<_> = (0..12).map(attack).collect();
    let file = png(640, 480);
    let (status, body) = post(&address, "?name=ok.png", file.len(), std::iter::once(file));
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
    let asset: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(serving.query("{ posts { nodes { id } } }")["posts"]["nodes"], serde_json::json!([]));
    let statuses: Vec<u16> = attacks.into_iter().map(|attack| attack.join().expect("no panic")).collect();
    for (number, status) in statuses.iter().enumerate() {
        let expected: &[u16] = match number % ATTACKS {
            // The connection may be closed while the client still sends.
            0 => &[413, 0],
            1 => &[422],
            // Beside others of this size it may have to wait too long.
            _ => &[200, 201, 503],
        };
        assert!(expected.contains(status), "{statuses:?}");
    }
    let url = asset["asset"]["url"].as_str().expect("a URL");
    let (status, small) = get(&address, &format!("{url}?width=320"));
    assert_eq!((status, decoded(&small).to_rgb8().dimensions()), (200, (320, 240)));
    let peak = memory_peak(serving.id());
    println!("VmHWM: {before} MiB before the first picture, {peak} MiB after the last");
    assert!(peak < MEMORY_MAX, "{peak} MiB");
    // Every picture is beside the store, and is there after a restart.
    drop(serving);
    let serving = Serving::start_with(&["--store", &store], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    assert_eq!(get(&serving.address, url).0, 200);
}

pub fn open_files(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).expect("the process runs").count()
}

/// A picture of so many pixels that it is read in several pieces.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut random = 7_u32;
    let image = image::RgbImage::from_fn(width, height, |_, _| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(random >> 24) as u8, (random >> 16) as u8, 0])
    });
    super::files::encoded(image, image::ImageFormat::Png)
}

/// Clients that ask for a picture and read only the beginning of the answer.
pub struct Untaken {
    path: String,
    file: Vec<u8>,
    clients: Vec<TcpStream>,
}

impl Untaken {
    /// The buffers of the system take some megabytes of each answer.
    const CLIENTS: usize = 40;

    /// Adds the picture, and waits for the beginnings of all answers.
    pub fn ask_for(serving: &Serving) -> Self {
        let file = noise(2_500, 1_600);
        let (status, body) = post(&serving.address, "", file.len(), std::iter::once(file.clone()));
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
        let asset: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        let path = asset["asset"]["url"].as_str().expect("a URL").to_owned();
        let ask = |_| {
            let mut client = TcpStream::connect(&serving.address).expect("a connection");
            write!(client, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").expect("a request");
            let mut beginning = [0; 12];
            client.read_exact(&mut beginning).expect("an answer");
            assert_eq!(&beginning, b"HTTP/1.1 200");
            client
        };
        let clients = (0..Self::CLIENTS).map(ask).collect();
        Self { path, file, clients }
    }

    pub fn count(&self) -> usize {
        self.clients.len()
    }
}

#[test]
fn pictures_that_nobody_takes_keep_no_file_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file:{}", folder.path().join("data").display());
    let serving = Serving::start_with(&["--store", &store, "--create"], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", serving.id())).expect("the process runs");
    let allowed = limits.lines().find(|line| line.starts_with("Max open files")).expect("its limit");
    let allowed: Vec<&str> = allowed.split_ascii_whitespace().collect();
    assert_eq!(allowed[3], allowed[4], "the soft limit is the hard one");
    let before = open_files(serving.id());
    let untaken = Untaken::ask_for(&serving);
    let most = before + untaken.count() + 8;
    // Until the buffers of the system are full, the next pieces are read.
    let begun = Instant::now();
    while open_files(serving.id()) > most {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "{before} before, {} while {} wait",
            open_files(serving.id()),
            untaken.count()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let (status, taken) = get(&serving.address, &untaken.path);
    assert_eq!(status, 200);
    assert!(taken.len() > 4_000_000, "{} bytes are more than the buffers of the system take", taken.len());
    assert_eq!(decoded(&taken).to_rgb8(), decoded(&untaken.file).to_rgb8(), "the pieces are in order");
}

/// Three clients add pictures, until the process is killed after this many answers. Returns the addresses that were answered.
fn add_until_killed(serving: Serving, answers: usize, round: u32) -> Vec<String> {
    let (acknowledge, acknowledged) = mpsc::channel();
    let add = |lane: u32| {
        let (address, acknowledge) = (serving.address.clone(), acknowledge.clone());
        std::thread::spawn(move || {
            for width in 1..=8 {
                let file = png(width, 1 + lane + 3 * round);
                let (status, body) = post(&address, "", file.len(), std::iter::once(file));
                if status != 201 {
                    return;
                }
                let added: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
                acknowledge.send(added["asset"]["url"].as_str().expect("a URL").to_owned()).expect("the test waits");
            }
        })
    };
    let adding: Vec<_> = (0..3).map(add).collect();
    drop(acknowledge);
    let mut urls: Vec<String> = acknowledged.iter().take(answers).collect();
    serving.signal("KILL");
    drop(serving);
    adding.into_iter().for_each(|adding| adding.join().expect("no panic"));
    urls.extend(acknowledged);
    urls
}

#[test]
fn a_server_that_is_killed_while_pictures_arrive_has_no_row_without_bytes_and_no_bytes_without_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = format!("file:{}", data.display());
    let start = || Serving::start_with(&["--store", &store, "--create"], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let acknowledged: Vec<String> =
        (0..4).flat_map(|round| add_until_killed(start(), 3 + 2 * round as usize, round)).collect();
    assert!(acknowledged.len() >= 3 + 5 + 7 + 9, "{acknowledged:?}");
    let serving = start();
    let answer = serving.ask_as(Some(TOKEN), "{ assets(first: 100) { nodes { url } } }");
    let listed = answer["data"]["assets"]["nodes"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let listed: Vec<&str> = listed.iter().map(|node| node["url"].as_str().expect("a URL")).collect();
    for url in &acknowledged {
        assert!(listed.contains(&url.as_str()), "{url} was acknowledged, and is lost");
    }
    for url in &listed {
        assert_eq!(get(&serving.address, url).0, 200, "the row {url} has no bytes");
    }
    let files = std::fs::read_dir(data.join("assets/originals")).expect("the folder").filter_map(Result::ok);
    // A file that was not complete has another name.
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "png"));
    assert_eq!(files.count(), listed.len());
}
