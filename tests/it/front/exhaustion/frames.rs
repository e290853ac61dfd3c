//! HTTP/2 connections that carry no requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use super::attack::{Attack, CACHES, PATIENCE};
use super::hostile_posts::PREFACE;
use crate::front::Example;

const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0pingpong";
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const PRIORITY: &[u8] = b"\0\0\x05\x02\0\0\0\0\x01\0\0\0\0\x10";

/// Twelve clients send such frames until the server closes their connections, and connect again.
#[test]
fn floods_of_frames_do_not_delay_others() {
    let example = Example::start(&[], &CACHES);
    let address = &example.serving.address;
    let attack = Attack::on("9: floods of PING, SETTINGS and PRIORITY", &example.serving);
    attack.repeat(|| {
        thread::scope(|scope| {
            for frame in [PING, SETTINGS, PRIORITY].repeat(4) {
                scope.spawn(move || {
                    let mut stream = TcpStream::connect(address).expect("a connection");
                    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
                    // Nothing is read meanwhile, so that the answers to the frames wait in the server.
                    let _ = stream.write_all(PREFACE);
                    let flood = frame.repeat(10_000);
                    while stream.write_all(&flood).is_ok() {}
                    while matches!(stream.read(&mut [0; 1024]), Ok(count) if count > 0) {}
                });
            }
        });
    });
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}
