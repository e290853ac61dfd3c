//! Runs each fuzz target for some seconds with its seeds, mutations of them and random bytes. The inputs are the same in every run.
//! `scripts/fuzz` runs the targets for hours.

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::random::Random;
use targets::{TARGETS, Target};

const RUNS: usize = 3_000;
const BYTES_MAX: usize = 2_000;
/// Bytes that have a meaning in one of the decoded formats.
const SIGNS: &[u8] = b"<>&;*_`[]()!#-+|:\"'\\/ \n\t{}$@.,=~^0129ax\0\x01\xff\xc2\xa0";

fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("a target")
}

fn input(target: &Target, random: &mut Random) -> Vec<u8> {
    if random.below(8) == 0 {
        return (0..random.below(200)).map(|_| random.bits() as u8).collect();
    }
    let mut bytes = target.seeds[random.below(target.seeds.len())].to_vec();
    for _ in 0..=random.below(12) {
        mutate(&mut bytes, target, random);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, target: &Target, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(20)).min(bytes.len());
    match random.below(5) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.insert(at, SIGNS[random.below(SIGNS.len())]),
        2 => {
            let part = bytes[at..end].repeat(1 + random.below(20));
            bytes.splice(at..at, part);
        }
        3 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        _ => {
            let other = target.seeds[random.below(target.seeds.len())];
            let from = random.below(other.len());
            bytes.splice(at..end, other[from..].iter().copied().take(40));
        }
    }
}

fn run(name: &str, runs: usize) {
    let target = target(name);
    let mut random = Random::new(1);
    let seeds = target.seeds.iter().map(|seed| seed.to_vec());
    let mut inputs: Vec<Vec<u8>> = seeds.collect();
    inputs.extend((0..runs).map(|_| input(target, &mut random)));
    for bytes in inputs {
        let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes)));
        assert!(ran.is_ok(), "{name} fails on {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn the_document_scan_does_not_panic_on_random_bytes() {
    run("document", RUNS);
}

#[test]
fn cursor_decoding_does_not_panic_on_random_bytes() {
    run("cursor", RUNS);
}

#[test]
fn front_matter_parsing_does_not_panic_on_random_bytes() {
    run("front_matter", RUNS);
}

#[test]
fn mdx_is_converted_from_random_bytes_without_a_panic() {
    run("mdx", RUNS);
}

#[test]
fn the_wordpress_reader_does_not_panic_on_random_bytes() {
    run("wxr", RUNS);
}

#[test]
fn the_substack_reader_does_not_panic_on_random_bytes() {
    run("substack", RUNS);
}

#[test]
fn the_medium_reader_does_not_panic_on_random_bytes() {
    run("medium", RUNS);
}

#[test]
fn the_notion_reader_does_not_panic_on_random_bytes() {
    run("notion", RUNS);
}

#[test]
fn the_contentful_reader_does_not_panic_on_random_bytes() {
    run("contentful", RUNS);
}

#[test]
fn row_decoding_does_not_panic_on_random_bytes() {
    run("rows", RUNS);
}

#[test]
fn markdown_rendering_does_not_panic_on_random_bytes() {
    run("markdown", RUNS / 4);
}

#[test]
fn the_reader_of_declared_fields_does_not_panic_on_random_bytes() {
    run("site_fields", RUNS);
}
