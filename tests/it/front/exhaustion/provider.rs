//! An identity provider that hangs or is slow, and tokens that need its keys.

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

/// A provider that accepts connections and never answers.
struct Hanging {
    address: String,
    asked: Arc<AtomicUsize>,
    aborted: Arc<AtomicUsize>,
}

impl Hanging {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (asked, aborted) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&asked), Arc::clone(&aborted));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                counts.0.fetch_add(1, Ordering::SeqCst);
                let aborted = Arc::clone(&counts.1);
                thread::spawn(move || {
                    // Until the server closes the connection.
                    while matches!(stream.read(&mut [0; 1024]), Ok(count) if count > 0) {}
                    aborted.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, asked, aborted }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn aborted(&self) -> usize {
        self.aborted.load(Ordering::SeqCst)
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

/// Three hundred forged tokens wait for the keys. The server aborts a read of the keys after ten seconds; other clients are served meanwhile.
#[test]
fn a_provider_that_hangs_does_not_delay_others() {
    let provider = Hanging::start();
    let keys = format!("{}/keys", provider.address);
    let example = Example::start(&[], &settings(&keys));
    let address = &example.serving.address;
    let attack = Attack::on("6: tokens for a provider that hangs", &example.serving);
    // The read at the start of the server is not part of the attack.
    wait_until("the first read does not end", || provider.aborted() == provider.asked());
    let before = provider.aborted();
    let part = |json: Value| BASE64_URL.encode(json.to_string());
    let jwt = |n: usize| format!("{}.{}.AAAA", part(json!({ "alg": "EdDSA", "kid": n.to_string() })), part(json!({})));
    let asked: Vec<TcpStream> = (0..300).map(|n| ask_with(address, &jwt(n))).collect();
    wait_until("the server does not read the keys", || provider.asked() > before);
    attack.wait_for_answers(10);
    assert_eq!(provider.aborted(), before, "the others were answered only after the read of the keys");
    for stream in asked {
        assert_eq!(outcome(&answer(stream)), (503, "UNAVAILABLE"));
    }
    attack.hold();
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The provider takes longer than a request waits for it, so the server reads the keys before it reports that it serves.
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
fn the_log_shows_no_password_of_the_key_address() {
    // Nothing listens at a port that was just released.
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
