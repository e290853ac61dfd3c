//! The tests of the cleaner of drawings.

mod files;
mod harmless;
mod hostile;

use super::*;
use harmless::assert_harmless;

const ROOT: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
const TABLES: [&[(&str, &str)]; 6] =
    [hostile::SCRIPTS, hostile::EVENTS, hostile::LINKS, hostile::ANIMATIONS, hostile::STYLES, hostile::TEXTS];

fn cleaned(file: impl AsRef<[u8]>) -> Result<String, BadPicture> {
    clean(file.as_ref()).map(|cleaned| String::from_utf8(cleaned.bytes).expect("UTF-8"))
}

fn drawing(content: &str) -> String {
    format!("{ROOT} xmlns:xlink='http://www.w3.org/1999/xlink'>{content}</svg>")
}

/// Cleans a drawing, and asserts the properties of every result.
fn checked(file: &str) -> Result<String, BadPicture> {
    let once = cleaned(file)?;
    assert_harmless(&once);
    assert_eq!(cleaned(&once).as_ref(), Ok(&once), "{file}");
    Ok(once)
}

#[test]
fn what_runs_or_loads_something_is_left_out() {
    for (content, left) in TABLES.into_iter().flatten() {
        let expected = match *left {
            "" => format!("{ROOT}/>"),
            left => format!("{ROOT}>{left}</svg>"),
        };
        assert_eq!(checked(&drawing(content)), Ok(expected), "{content}");
    }
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for (content, reason) in hostile::REFUSED {
        let refused = checked(&drawing(content)).expect_err(content);
        assert!(refused.to_string().contains(reason), "{content}: {refused}");
    }
}

#[test]
fn drawings_of_drawing_programs_stay_as_they_look() {
    for (what, file, expected) in files::PROGRAMS {
        assert_eq!(checked(file).as_deref(), Ok(*expected), "{what}");
    }
}

/// A number below `below`, the next of a sequence.
fn next(random: &mut u64, below: usize) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 33) as usize % below
}

#[test]
fn what_is_cleaned_once_is_harmless_and_not_changed_by_a_second_cleaning() {
    let pieces: Vec<&str> = TABLES.into_iter().flatten().chain(hostile::REFUSED).map(|(content, _)| *content).collect();
    let (mut random, mut accepted) = (7, 0);
    for _ in 0..4_000 {
        let content: String = (0..4).map(|_| pieces[next(&mut random, pieces.len())]).collect();
        let mut file = drawing(&content).into_bytes();
        for _ in 0..next(&mut random, 3) {
            let (at, from) = (next(&mut random, file.len()), next(&mut random, file.len()));
            file[at] = file[from];
        }
        let file = String::from_utf8_lossy(&file).into_owned();
        accepted += usize::from(checked(&file).is_ok());
    }
    assert!(accepted > 400, "{accepted}");
}

#[test]
fn every_beginning_of_a_drawing_is_an_error() {
    let whole = files::PROGRAMS[0].1;
    for (end, _) in whole.trim_end().char_indices() {
        assert!(cleaned(&whole[..end]).is_err(), "{end}");
    }
}

/// Once, each name in a value was copied with all text after it: terabytes for a file of the maximum size.
#[test]
fn a_long_value_with_many_unclosed_names_needs_no_memory_of_its_own() {
    for name in ["class", "id", "aria-label"] {
        let file = drawing(&format!("<rect {name}='{}'/>", "url(#".repeat(BYTES_MAX / 6)));
        assert!(cleaned(&file).is_ok(), "{name}");
    }
    let refused = drawing(&format!("<rect fill='{}'/>", "url(#".repeat(BYTES_MAX / 6)));
    assert_eq!(cleaned(&refused), Ok(drawing("<rect/>").replace(" xmlns:xlink='http://www.w3.org/1999/xlink'", "")));
}
