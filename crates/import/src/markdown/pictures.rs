//! The pictures of a Markdown file, those in its body and the cover in its front matter, and the other files to which it links. The rule: each is a file
//! below the imported folder; a path or a link that leaves it is refused.

use std::collections::HashSet;
use std::path::Path;

use crate::{ImportedCover, PictureFile};
use tidings_model::asset::{ALT_CHARS_MAX, AssetName};
use tidings_model::composed::{composed, decomposed};
use tidings_model::file_format::FileFormat;

use super::addresses::{self, Address, Form};
use super::asset_addresses::asset_names;
use super::fields::values;
use super::file_links;
use super::name::{folder_of, folders_above};
use super::value::Value;

/// The keys of a cover; the first with a value counts.
const COVERS: &str = "cover image featured_image heroImage hero coverImage thumbnail";
/// Other cover keys of themes, and keys of previews on other sites. They can also have other values, so only the address of a picture counts.
const OTHER_COVERS: &str = "\
    featureImage header banner bannerImage headerImage headerImg coverImg postImage mainImage teaser images ogImage \
    socialImage previewImage thumbnailImg thumb indexImg img photo photos";
/// The keys of a table of Minimal Mistakes, one of which contains the cover.
const OF_HEADER: &str = "overlay_image image teaser og_image";
/// The keys of the address, if the cover is a table.
const ADDRESSES: &str = "image src url path file";
/// The folders that generators serve at the root of the site, and the root. Docusaurus has `docs` next to the folder of its site, `website`.
const SERVED: &[&str] = &["", "static", "public", "assets", "src", "website/static"];
/// The folders that are served at the root, for a site in a folder above the file.
const SERVED_OF_SITE: &[&str] = &["static", "public"];

/// The extensions of pictures that can become assets of the site.
const LINKED: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "svg"];

/// The folders for an address that begins with `@/` or `~/`.
const CONTENT: &[&str] = &["content", "src", ""];

pub(super) fn cover(front: &Value) -> ImportedCover {
    let of_keys = |keys| values(front, keys).filter_map(|value| cover_of(value.items().first()?));
    let is_picture =
        |cover: &ImportedCover| matches!(cover, ImportedCover::File { address, .. } if addresses::has_ending(address));
    let cover = of_keys(COVERS).next().or_else(|| of_keys(OTHER_COVERS).find(is_picture));
    cover.unwrap_or(ImportedCover::None)
}

fn cover_of(value: &Value) -> Option<ImportedCover> {
    // Starlight has a table in the table.
    if let Some(image @ Value::Table(_)) = value.get("image") {
        return cover_of(image);
    }
    let address = value.text().or_else(|| value.first_text(ADDRESSES)).or_else(|| value.first_text(OF_HEADER))?;
    let alt = value.get("alt").and_then(Value::text).filter(|alt| alt.chars().count() <= ALT_CHARS_MAX);
    Some(ImportedCover::File { address: address.to_owned(), alt: alt.map(str::to_owned), body_below: None })
}

/// The pictures and other files that a file names, without duplicates, each with its file or the reason why there is none.
pub(super) fn of_file(root: &Path, origin: &str, markdown: &str, cover: &ImportedCover) -> Vec<PictureFile> {
    let mut found: Vec<PictureFile> = Vec::new();
    let mut known = HashSet::new();
    let mut add = |address: String, alt: Option<String>| {
        if known.insert(address.clone()) {
            let file = resolve(root, origin, &address);
            found.push(PictureFile { origin: origin.to_owned(), address, alt, file });
        }
    };
    if let ImportedCover::File { address, alt, .. } = cover
        && addresses::is_local(address)
    {
        add(address.clone(), alt.clone());
    }
    for address in addresses::found(markdown) {
        let text = &markdown[address.span.clone()];
        let is_named = match address.is_shown(markdown) {
            true => addresses::is_local(text) && !is_asset(text),
            // The list of broken links names a link to a file that does not exist.
            false => linked(root, origin, &address, text).is_some(),
        };
        if is_named {
            add(text.to_owned(), None);
        }
    }
    found
}

/// The pictures of an export that a text names in any other way, such as in a link or in code, if the folder contains them.
pub(super) fn mentioned(root: &Path, origin: &str, text: &str) -> Vec<PictureFile> {
    let files = asset_names(text).into_iter().map(|name| format!("assets/{name}"));
    let existing = files.filter(|file| resolve(root, "", file).is_ok());
    let picture = |file: String| PictureFile {
        origin: origin.to_owned(),
        address: format!("/{file}"),
        alt: None,
        file: Ok(file),
    };
    existing.map(picture).collect()
}

/// Replaces the addresses of pictures and other files by those of their assets.
pub fn with_assets(root: &Path, origin: &str, markdown: &str, asset: impl Fn(&str) -> Option<AssetName>) -> String {
    addresses::with_addresses(markdown, |address, text| {
        let file = match address.is_shown(markdown) {
            true => resolve(root, origin, text).ok().filter(|_| addresses::is_local(text)),
            false => linked(root, origin, address, text),
        };
        Some(asset(&file?)?.path())
    })
}

/// The file that is the target of a link: a picture, such as the full size of a thumbnail, or a file of a format that a site can have.
fn linked(root: &Path, origin: &str, Address { form, .. }: &Address, address: &str) -> Option<String> {
    let ending = address.rsplit_once('.').filter(|_| *form == Form::Link)?.1.to_ascii_lowercase();
    let is_known = LINKED.contains(&ending.as_str()) || FileFormat::of_extension(&ending).is_some();
    let is_asset_file = is_known && addresses::is_local(address) && !is_asset(address);
    is_asset_file.then(|| resolve(root, origin, address).ok())?
}

/// The file of a local address, as a path below the root.
pub fn resolve(root: &Path, origin: &str, address: &str) -> Result<String, String> {
    let path = addresses::path_of(address);
    let folder = folder_of(origin);
    let mut reason = "there is no such file in the imported folder";
    // Docusaurus's `@site/static/a.png` is below the site, `@/a.png` below Zola's content or Astro's source folder.
    let (path, bases) = match path.strip_prefix("@/").or_else(|| path.strip_prefix("~/")) {
        Some(path) => (path, owned(CONTENT)),
        None if path.starts_with("@site/") => (&path["@site".len()..], owned(&folders_above(origin))),
        None if path.starts_with('/') => (path.as_str(), served(origin)),
        None => (path.as_str(), owned(&[folder])),
    };
    // A file that was named on macOS can have the decomposed form of the name.
    let forms = [path.to_owned(), composed(path).into_owned(), decomposed(path)];
    let forms = if path.is_ascii() { &forms[..1] } else { &forms };
    for (base, path) in bases.iter().flat_map(|base| forms.iter().map(move |path| (base, path))) {
        match below(root, base, path) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) => {}
            Err(outside) => reason = outside,
        }
    }
    Err(reason.to_owned())
}

/// The folders for an address that begins with a slash.
fn served(origin: &str) -> Vec<String> {
    let above = folders_above(origin).into_iter().filter(|folder| !folder.is_empty());
    let of_sites = above.flat_map(|folder| SERVED_OF_SITE.iter().map(move |name| format!("{folder}/{name}")));
    owned(SERVED).into_iter().chain(of_sites).collect()
}

fn owned(folders: &[&str]) -> Vec<String> {
    folders.iter().map(|folder| (*folder).to_owned()).collect()
}

/// The file at a path below a folder of the root; `None` if it does not exist, an error if the path leaves the root.
pub(crate) fn below(root: &Path, base: &str, path: &str) -> Result<Option<String>, &'static str> {
    let path = file_links::joined(base, path).ok_or("its path leads out of the imported folder")?;
    let file = root.join(&path);
    let Ok(found) = file.canonicalize() else { return Ok(None) };
    let is_inside = root.canonicalize().is_ok_and(|root| found.starts_with(root));
    match (is_inside, found.is_file()) {
        (false, _) => Err("a link leads out of the imported folder"),
        (true, false) => Ok(None),
        (true, true) => Ok(Some(path)),
    }
}

/// Whether the address is that of a picture or file that Tidings serves.
fn is_asset(address: &str) -> bool {
    address.strip_prefix("/assets/").is_some_and(|name| addresses::path_of(name).parse::<AssetName>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    #[test]
    fn a_cover_is_read_under_every_name() {
        let of = |text: &str| cover(&yaml::parse(text).expect("YAML"));
        let named = |address: &str, alt: Option<&str>| ImportedCover::File {
            address: address.to_owned(),
            alt: alt.map(str::to_owned),
            body_below: None,
        };
        let file = |alt: Option<&str>| named("a.png", alt);
        for text in [
            "cover: a.png",
            "image: {path: a.png}",
            "cover: {image: a.png}",
            "heroImage: a.png",
            "extra: {thumbnail: a.png}",
            "hero: {tagline: B, image: {file: a.png}}",
        ] {
            assert_eq!(of(text), file(None), "{text}");
        }
        assert_eq!(of("cover: {src: a.png, alt: A boat}\nimage: b.png"), file(Some("A boat")));
        assert_eq!(of("cover: true\ntitle: a.png"), named("true", None));
        assert_eq!(of("title: a"), ImportedCover::None);
    }
}
