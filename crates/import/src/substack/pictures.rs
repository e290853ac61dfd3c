//! The picture addresses of Substack. The rule: an address that requests another size of a file on Substack's storage is replaced by that of the
//! file; every other address stays unchanged.

use percent_encoding::percent_decode_str;

/// The prefix of an address that requests another size. Options, a slash, and the encoded address of the file follow.
const SIZED: &str = "https://substackcdn.com/image/fetch/";

/// Where Substack stores the files.
const FILES: &str = "https://substack-post-media.s3.amazonaws.com/public/images/";

/// Where Substack stored older files. It is unknown whether these addresses still work, so they are not unwrapped.
const OLD_FILES: &str = "https://bucketeer-";
const OLD_FOLDER: &str = ".s3.amazonaws.com/public/images/";

/// The address of the original file, if the address requests another size of it.
pub(super) fn unwrapped(address: &str) -> Option<String> {
    wrapped(address).filter(|file| file.starts_with(FILES))
}

/// The file name of a picture.
pub(super) fn name_of(address: &str) -> Option<String> {
    let file = wrapped(address).unwrap_or_else(|| address.to_owned());
    let name = match file.strip_prefix(FILES) {
        Some(name) => name,
        None => file.strip_prefix(OLD_FILES)?.split_once(OLD_FOLDER)?.1,
    };
    let name = name.split(['?', '#']).next().unwrap_or(name);
    (!name.is_empty() && !name.contains('/')).then(|| name.to_owned())
}

/// The address inside an address for another size.
fn wrapped(address: &str) -> Option<String> {
    let encoded = address.strip_prefix(SIZED)?.rsplit('/').next()?;
    let file = percent_decode_str(encoded).decode_utf8().ok()?;
    file.starts_with("https://").then(|| file.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &str = "https://substackcdn.com/image/fetch/$s_!a1!,w_1456,c_limit,f_auto/";

    #[test]
    fn an_address_for_another_size_is_that_of_the_file_if_substack_stores_it() {
        let of = |host: &str| format!("{OPTIONS}https%3A%2F%2F{host}.s3.amazonaws.com%2Fpublic%2Fimages%2Fa_1x2.png");
        let file = "https://substack-post-media.s3.amazonaws.com/public/images/a_1x2.png";
        let (stored, old) = (of("substack-post-media"), of("bucketeer-e05b"));
        assert_eq!(unwrapped(&stored).as_deref(), Some(file));
        for address in [file, &old, &format!("{OPTIONS}https%3A%2F%2Fa.example%2Fb.png"), OPTIONS] {
            assert_eq!(unwrapped(address), None, "{address}");
        }
        for address in [file, &stored, &old] {
            assert_eq!(name_of(address).as_deref(), Some("a_1x2.png"), "{address}");
        }
        assert_eq!(name_of("https://a.example/public/images/a.png"), None);
    }
}
