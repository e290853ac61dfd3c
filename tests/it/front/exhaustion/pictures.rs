//! Pictures that are hostile to the server that decodes them, pictures that nobody takes, and files that are larger than the memory for them.

use std::thread;

use super::attack::{Attack, peak_memory};
use crate::assets::files::{
    animated_webp, black_png, jpeg, padded_webp, png_that_says, png_with_a_large_profile, progressive_jpeg, webp,
    with_scans,
};
use crate::assets::process::{TOKEN, Untaken, open_files, post};
use crate::support::command::{Blog, Serving};

fn start(blog: &Blog) -> Serving {
    // The memory of the caches depends on the machine.
    let [answers, values] = super::attack::CACHES;
    Serving::start_with(&["--store", &blog.store(), "--create"], &[("TIDINGS_EDITOR_TOKEN", TOKEN), answers, values])
}

/// Seven at the same time, again and again: too many pixels, many pixels, all pixels in the widest form, pixels that are sent many times, a frame of another
/// size, many bytes, a packed profile.
#[test]
fn seven_hostile_pictures_at_once_do_not_delay_others() {
    let blog = Blog::of(&[]);
    let serving = start(&blog);
    let pictures = [
        png_that_says(30_000, 30_000),
        black_png(5_000, 5_000),
        progressive_jpeg(5_000, 5_000),
        with_scans(&jpeg(2_000, 2_000), 100),
        animated_webp(8, &webp(2_000, 2_000)),
        padded_webp(19_000_000),
        png_with_a_large_profile(),
    ];
    let attack = Attack::on("11: seven hostile pictures at once", &serving);
    attack.repeat(|| {
        thread::scope(|scope| {
            for picture in &pictures {
                scope.spawn(|| {
                    let (status, answer) = post(&serving.address, "", picture.len(), std::iter::once(picture.clone()));
                    let expected = [0, 200, 201, 408, 413, 415, 422, 503];
                    assert!(expected.contains(&status), "{status}: {}", String::from_utf8_lossy(&answer));
                });
            }
        });
    });
    attack.end_of_pictures();
    assert_eq!(serving.stop().0, Some(0));
}

/// Forty clients read only the beginning of a picture.
#[test]
fn pictures_that_nobody_takes_do_not_delay_others() {
    let blog = Blog::of(&[]);
    let serving = start(&blog);
    let attack = Attack::on("12: pictures that nobody takes", &serving);
    let before = open_files(serving.id());
    let untaken = Untaken::ask_for(&serving);
    attack.hold();
    let open = open_files(serving.id());
    println!("open files: {before} before, {open} while {} answers wait", untaken.count());
    attack.end();
    drop(untaken);
}

/// Four of 48 MiB at the same time, twice: the second time the server has them.
#[test]
fn files_that_are_no_pictures_are_not_in_memory_as_a_whole() {
    const PIECES: usize = 48;
    let blog = Blog::of(&[]);
    let serving = start(&blog);
    let before = peak_memory(serving.id());
    let send = |number: u8| {
        let pieces = (0..PIECES).map(|piece| {
            let mut bytes = vec![number; 1 << 20];
            if piece == 0 {
                bytes[..4].copy_from_slice(b"PK\x03\x04");
            }
            bytes
        });
        post(&serving.address, "?name=a.zip", PIECES << 20, pieces).0
    };
    for status in [201, 200] {
        thread::scope(|scope| {
            for number in 0..4 {
                let send = &send;
                scope.spawn(move || assert_eq!(send(number), status));
            }
        });
    }
    let grown = peak_memory(serving.id()).zip(before).map(|(after, before)| after - before);
    assert!(grown.is_none_or(|grown| grown < 96 << 20), "{grown:?} bytes more for 192 MiB");
    assert_eq!(serving.stop().0, Some(0));
}
