//! Profiles of the colours ("Specification ICC.1:2022", International Color Consortium). The rule: a profile is written
//! again with the tags that change a colour; texts, private data of one program, and bytes that no tag names are left
//! out.

/// The sizes of the header and of an entry of the tag table.
const HEADER_BYTES: usize = 128;
const ENTRY_BYTES: usize = 12;
/// Profiles have some 20 tags.
const TAGS_MAX: usize = 100;

/// The tags that change a colour: the matrix and its curves, lookup tables for each direction and intent, and the white point.
const KEPT: [&[u8; 4]; 25] = [
    b"wtpt", b"bkpt", b"chad", b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC", b"kTRC", b"A2B0", b"A2B1",
    b"A2B2", b"A2B3", b"B2A0", b"B2A1", b"B2A2", b"B2A3", b"D2B0", b"D2B1", b"D2B2", b"D2B3", b"gamt", b"lumi",
    b"cicp",
];

/// Tags that some programs require in every profile: its name and its copyright.
const NAME: &[u8; 4] = b"desc";
const COPYRIGHT: &[u8; 4] = b"cprt";

/// `None` if the bytes are not a profile; viewers ignore such bytes, too.
pub(super) fn clean(profile: &[u8]) -> Option<Vec<u8>> {
    let said = u32::from_be_bytes(profile.get(..4)?.try_into().ok()?) as usize;
    let profile = profile.get(..said)?;
    let header = profile.get(..HEADER_BYTES)?;
    if header.get(36..40)? != b"acsp" {
        return None;
    }
    let count = number(profile, HEADER_BYTES)?;
    let tags = (0..count.min(TAGS_MAX)).map(|tag| entry(profile, HEADER_BYTES + 4 + tag * ENTRY_BYTES));
    let tags = tags.collect::<Option<Vec<_>>>()?;
    let mut kept: Vec<Tag<'_>> = Vec::new();
    for (name, data) in tags {
        let is_new = kept.iter().all(|(other, _)| *other != name);
        if is_new && KEPT.contains(&&name) {
            kept.push((name, data));
        }
    }
    // Tags may share data only as a whole. If they shared parts, the result could be many times as long as the profile.
    let lengths = kept.iter().enumerate().filter(|(at, tag)| kept[..*at].iter().all(|(_, other)| *other != tag.1));
    if lengths.map(|(_, (_, data))| data.len()).sum::<usize>() > profile.len() {
        return None;
    }
    let is_new_version = header[8] >= 4;
    let (name, copyright) =
        if is_new_version { (unicode(), unicode()) } else { (description(), b"text\0\0\0\0-\0".to_vec()) };
    kept.push((*NAME, &name));
    kept.push((*COPYRIGHT, &copyright));
    Some(write(header, &kept))
}

/// The name of a tag, and its data.
type Tag<'a> = ([u8; 4], &'a [u8]);

fn entry(profile: &[u8], at: usize) -> Option<Tag<'_>> {
    let name = profile.get(at..at + 4)?.try_into().ok()?;
    let (from, length) = (number(profile, at + 4)?, number(profile, at + 8)?);
    Some((name, profile.get(from..from.checked_add(length)?)?))
}

fn number(profile: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_be_bytes(profile.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// Tags with the same data share it, as the curves of most profiles do.
fn write(header: &[u8], tags: &[Tag<'_>]) -> Vec<u8> {
    let mut written = header.to_vec();
    // The device, its manufacturer, the program and the checksum, all of which may be unknown.
    for (from, to) in [(4, 8), (48, 56), (80, HEADER_BYTES)] {
        written[from..to].fill(0);
    }
    let in_bytes = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes();
    written.extend(in_bytes(tags.len()));
    let (mut table, mut data) = (Vec::new(), Vec::new());
    let mut places: Vec<(&[u8], usize)> = Vec::new();
    let begin = HEADER_BYTES + 4 + tags.len() * ENTRY_BYTES;
    for (name, bytes) in tags {
        let known = places.iter().find(|(other, _)| other == bytes).map(|(_, place)| *place);
        let place = known.unwrap_or_else(|| {
            let place = begin + data.len();
            data.extend_from_slice(bytes);
            data.resize(data.len().next_multiple_of(4), 0);
            places.push((bytes, place));
            place
        });
        table.extend_from_slice(name);
        table.extend(in_bytes(place));
        table.extend(in_bytes(bytes.len()));
    }
    written.extend(table);
    written.extend(data);
    let size = in_bytes(written.len());
    written[..4].copy_from_slice(&size);
    written
}

/// The text `-` as `multiLocalizedUnicodeType`.
fn unicode() -> Vec<u8> {
    [b"mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\x02\0\0\0\x1c".as_slice(), b"\0-"].concat()
}

/// The text `-` as `textDescriptionType` of version 2, which has the text in three forms.
fn description() -> Vec<u8> {
    let mut written = b"desc\0\0\0\0\0\0\0\x02-\0".to_vec();
    written.resize(written.len() + 78, 0);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile with tags at these places in its data.
    fn profile(tags: &[(&[u8; 4], usize, usize)], data: &[u8]) -> Vec<u8> {
        let mut written = vec![0; HEADER_BYTES];
        written[8] = 2;
        written[12..20].copy_from_slice(b"mntrRGB ");
        written[36..40].copy_from_slice(b"acsp");
        written[80..84].copy_from_slice(b"SECR");
        let begin = HEADER_BYTES + 4 + tags.len() * ENTRY_BYTES;
        written.extend((tags.len() as u32).to_be_bytes());
        for (name, from, length) in tags {
            written.extend_from_slice(*name);
            written.extend(((begin + from) as u32).to_be_bytes());
            written.extend((*length as u32).to_be_bytes());
        }
        written.extend_from_slice(data);
        let size = (written.len() as u32).to_be_bytes();
        written[..4].copy_from_slice(&size);
        written
    }

    fn contains(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_profile_keeps_its_colours_and_no_other_bytes() {
        let data = b"curvGAMMsecret of a tagtext of somebodyunnamedXYZ ";
        let tags: [(&[u8; 4], usize, usize); 6] =
            [(b"rTRC", 0, 8), (b"gTRC", 0, 8), (b"priv", 8, 15), (b"desc", 23, 16), (b"rXYZ", 46, 4), (b"rTRC", 39, 7)];
        let sent = [profile(&tags, data).as_slice(), b"behind it"].concat();
        let cleaned = clean(&sent).expect("a profile");
        for left_out in [b"secret".as_slice(), b"somebody", b"unnamed", b"behind", b"SECR"] {
            assert!(contains(&sent, left_out) && !contains(&cleaned, left_out));
        }
        let found = |name: &[u8; 4]| {
            let count = number(&cleaned, HEADER_BYTES).expect("a number");
            let all = (0..count).map(|tag| entry(&cleaned, HEADER_BYTES + 4 + tag * ENTRY_BYTES).expect("a tag"));
            all.into_iter().find(|(other, _)| other == name).map(|(_, data)| data.to_vec())
        };
        assert_eq!(found(b"rTRC").as_deref(), Some(b"curvGAMM".as_slice()));
        assert_eq!((found(b"gTRC"), found(b"priv")), (found(b"rTRC"), None));
        assert_eq!(found(b"rXYZ").as_deref(), Some(b"XYZ ".as_slice()));
        assert!(found(b"desc").is_some() && found(b"cprt").is_some());
        assert_eq!(clean(&cleaned), Some(cleaned));
    }

    #[test]
    fn what_is_no_profile_is_none_and_no_change_of_one_is_a_panic() {
        let whole = profile(&[(b"rTRC", 0, 8)], b"curvGAMM");
        assert_eq!(clean(b"not a profile"), None);
        for length in 0..whole.len() {
            assert_eq!(clean(&whole[..length]), None);
        }
        let mut random = 11_u64;
        for _ in 0..20_000 {
            let mut changed = whole.clone();
            for _ in 0..3 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                changed[(random >> 33) as usize % whole.len()] = (random >> 20) as u8;
            }
            if let Some(cleaned) = clean(&changed) {
                assert_eq!(clean(&cleaned), Some(cleaned));
            }
        }
    }
}
