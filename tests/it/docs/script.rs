//! Turns the commands of a page into a script that can run beside the scripts of other pages. The rule: the output stays the same; only the
//! ports change, and servers run in the background instead of in a terminal of their own.

use std::collections::HashMap;
use std::path::Path;

/// The commands, with each server started in the background; the script continues when the server listens.
pub fn in_background(text: &str, folder: &Path) -> String {
    let text = text.replace("cargo run --release --", "tidings").replace("\\\n", " ");
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let command =
            words.iter().position(|word| *word == "tidings").filter(|at| words[..*at].iter().all(|w| w.contains('=')));
        if command.and_then(|at| words.get(at + 1)) != Some(&"serve")
            || words.iter().any(|word| word.starts_with("--print-") || *word == "--help")
        {
            return format!("{line}\n");
        }
        let log = folder.join(format!(".log-{}", random()));
        let (line, log) = (line.trim_end().trim_end_matches('&'), log.display());
        format!("{line} >{log} 2>&1 &\nlistens $! {log}\n")
    };
    text.lines().map(line).collect()
}

fn random() -> u32 {
    getrandom::u32().expect("randomness")
}

/// Replaces every port of `127.0.0.1` in the text by a free one, the same port by the same one.
pub fn with_free_ports(text: &str, ports: &mut HashMap<String, u16>) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (named, rest) = part.split_at(end);
        let is_free = |port: &u16| !text.contains(&format!("127.0.0.1:{port}"));
        let port = match named {
            // Azurite of the test already has a free port.
            "" | "0" => named.to_owned(),
            named if text.contains(&format!("Endpoint=http://127.0.0.1:{named}/")) => named.to_owned(),
            named => ports
                .entry(named.to_owned())
                .or_insert_with(|| std::iter::repeat_with(free_port).find(is_free).expect("a port"))
                .to_string(),
        };
        out += &format!("127.0.0.1:{port}{rest}");
    }
    out
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

#[test]
fn named_ports_are_replaced_by_free_ports_consistently() {
    let mut ports = HashMap::new();
    let text = with_free_ports("a 127.0.0.1:8080/x 127.0.0.1:8081 127.0.0.1:8080 127.0.0.1:0", &mut ports);
    assert_eq!(
        text,
        format!("a 127.0.0.1:{0}/x 127.0.0.1:{1} 127.0.0.1:{0} 127.0.0.1:0", ports["8080"], ports["8081"])
    );
}
