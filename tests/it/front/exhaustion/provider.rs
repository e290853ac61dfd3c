//! An identity provider that hangs, and tokens that ask for its keys.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use serde_json::{Value, json};

use super::attack::{Attack, PATIENCE, outcome};
use crate::front::Example;
use crate::front::well_behaved::{answer, request};
use crate::support::identity::ed25519;

/// A provider that takes connections and answers nothing.
struct Hanging {
    address: String,
    asked: Arc<AtomicUsize>,
    given_up: Arc<AtomicUsize>,
}

impl Hanging {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (asked, given_up) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&asked), Arc::clone(&given_up));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                counts.0.fetch_add(1, Ordering::SeqCst);
                let given_up = Arc::clone(&counts.1);
                thread::spawn(move || {
                    // Read until the server closes it.
                    while matches!(stream.read(&mut [0; 1024]), Ok(count) if count > 0) {}
                    given_up.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, asked, given_up }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn given_up(&self) -> usize {
        self.given_up.load(Ordering::SeqCst)
    }
}

fn settings(keys: &str) -> [(&'static str, &str); 3] {
    [("TIDINGS_OIDC_ISSUER", "https://id.example"), ("TIDINGS_OIDC_AUDIENCE", "tidings"), ("TIDINGS_OIDC_KEYS", keys)]
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn ask_with(address: &str, token: &str) -> TcpStream {
    let headers = format!("content-type: application/json\r\nauthorization: Bearer {token}\r\n");
    let body = json!({ "query": "{ viewer { name } }" }).to_string();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(&request("POST /graphql", &headers, body.as_bytes())).expect("a request");
    stream
}

/// Three hundred made-up tokens wait for the keys. A reading of the keys takes ten seconds until it is given up; others are served meanwhile.
#[test]
fn a_provider_that_hangs_keeps_nobody_waiting() {
    let provider = Hanging::start();
    let keys = format!("{}/keys", provider.address);
    let example = Example::start(&[], &settings(&keys));
    let address = &example.serving.address;
    let attack = Attack::on("6: tokens for a provider that hangs", &example.serving);
    // What the start has asked is not the attack's.
    wait_until("the first reading does not end", || provider.given_up() == provider.asked());
    let before = provider.given_up();
    let part = |json: Value| BASE64_URL.encode(json.to_string());
    let jwt = |n: usize| format!("{}.{}.AAAA", part(json!({ "alg": "EdDSA", "kid": n.to_string() })), part(json!({})));
    let asked: Vec<TcpStream> = (0..300).map(|n| ask_with(address, &jwt(n))).collect();
    wait_until("the keys are not asked for", || provider.asked() > before);
    attack.wait_for_answers(10);
    assert_eq!(provider.given_up(), before, "the others were answered only when the reading of the keys had ended");
    for stream in asked {
        assert_eq!(outcome(&answer(stream)), (503, "UNAVAILABLE"));
    }
    attack.hold();
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The provider needs longer than a request waits for it: the server has its keys before it says that it serves.
#[test]
fn the_first_token_after_the_start_is_served_though_the_provider_is_slow() {
    let key = ed25519();
    let set = json!({ "keys": [key.jwk("k")] }).to_string();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let keys = format!("http://{}/keys", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            thread::sleep(Duration::from_millis(1_500));
            let length = set.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{set}");
        }
    });
    let example = Example::start(&[], &settings(&keys));
    let seconds = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970").as_secs();
    let claims = json!({ "iss": "https://id.example", "aud": "tidings", "sub": "u-1", "exp": seconds + 300, "roles": ["reader"] });
    let (status, body) = answer(ask_with(&example.serving.address, &key.jwt("k", &claims)));
    assert_eq!((status, &body["data"]["viewer"]["name"]), (200, &json!("oidc:u-1")), "{body}");
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The log names the address that does not answer, without its user and password.
#[test]
fn the_log_shows_no_password_of_the_address_of_the_keys() {
    // Nothing listens at a port that was just given back.
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("an address");
    let keys = format!("http://a-user:a-pass@{closed}/keys?key=a-key");
    let example = Example::start(&[], &settings(&keys));
    let refused = answer(ask_with(&example.serving.address, &ed25519().jwt("k", &json!({}))));
    assert_eq!(outcome(&refused), (503, "UNAVAILABLE"));
    let (code, lines) = example.serving.stop_with_errors();
    assert_eq!(code, Some(0));
    assert!(
        lines.iter().any(|line| line.contains("oidc.keys_failed") && line.contains(&closed.to_string())),
        "{lines:?}"
    );
    for line in &lines {
        assert!(!["a-user", "a-pass", "a-key"].iter().any(|secret| line.contains(secret)), "{line}");
    }
}
