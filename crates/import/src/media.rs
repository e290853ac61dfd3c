//! The pictures of an export of another system, and the other files to which its HTML links. The rule: an address of the site below its folder of pictures means the file at the same path next to
//! the export, and an address on the system's servers means the file with its name or path in the folder of the export; every other address stays
//! unchanged.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tidings_model::AssetName;
use tidings_model::file_format::FileFormat;

use super::markdown;
use super::{ImportedCover, ImportedPost, PictureFile};

/// The folder of an export for pictures that are on the system's servers.
pub(super) const PICTURES: &str = "images";

#[derive(Debug, Clone, Default)]
pub struct Media {
    /// The folder of the export, or the folder that contains its file.
    root: PathBuf,
    /// The folder of the pictures below the root; for a site, also below its address.
    folder: &'static str,
    addresses: Addresses,
    exists: bool,
}

/// How addresses map to the files of an export.
#[derive(Debug, Clone)]
enum Addresses {
    /// Files by their path below the address of the site, which has no scheme and no `www.`; empty if the site's own addresses begin with a slash.
    Site(String),
    /// Files by the name of the picture. The function returns the name for an address on the servers.
    Servers(fn(&str) -> Option<String>),
    /// Files by host and path. The function returns them for an address on the servers.
    Hosts(fn(&str) -> Option<String>),
    /// Files by their path below the folder of the export. The function returns it for an address in the export.
    Files(fn(&str) -> Option<String>),
}

impl Default for Addresses {
    fn default() -> Self {
        Self::Site(String::new())
    }
}

impl Media {
    /// `folder`: the site's folder of pictures, such as `wp-content/uploads`.
    pub(super) fn beside(export: &Path, folder: &'static str) -> Self {
        let root = export.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        let root = root.unwrap_or(Path::new(".")).to_owned();
        let exists = root.join(folder).is_dir();
        Self { root, folder, addresses: Addresses::default(), exists }
    }

    /// `name_of`: returns the name of a picture for an address on the system's servers.
    pub(super) fn inside(export: &Path, name_of: fn(&str) -> Option<String>) -> Self {
        let exists = export.join(PICTURES).is_dir();
        let addresses = Addresses::Servers(name_of);
        Self { root: export.to_owned(), folder: PICTURES, addresses, exists }
    }

    /// `path_of`: returns the host and path of a file for its address. `exists` is set if a folder next to the export has the name of such a host.
    pub(super) fn beside_by_host(export: &Path, path_of: fn(&str) -> Option<String>) -> Self {
        let media = Self::beside(export, "");
        let exists = std::fs::read_dir(&media.root).is_ok_and(|children| {
            let folders = children.flatten().filter(|child| child.file_type().is_ok_and(|kind| kind.is_dir()));
            let mut names = folders.map(|child| child.file_name().to_string_lossy().into_owned());
            names.any(|name| path_of(&format!("https://{name}/x")).is_some())
        });
        Self { addresses: Addresses::Hosts(path_of), exists, ..media }
    }

    /// `path_of`: returns the path of a file below the folder of the export for its address.
    pub(super) fn of_files(export: &Path, path_of: fn(&str) -> Option<String>) -> Self {
        Self { root: export.to_owned(), addresses: Addresses::Files(path_of), exists: true, ..Self::default() }
    }

    /// Sets the address of the site, such as `https://www.blog.example/news`.
    pub(super) fn set_site(&mut self, address: &str) {
        let address = without_scheme(address).unwrap_or(address).trim_end_matches('/');
        self.addresses = Addresses::Site(address.to_owned());
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn exists(&self) -> bool {
        self.exists
    }

    /// The pictures of a post or page, without duplicates.
    pub(super) fn find(&self, origin: &str, post: &ImportedPost) -> Vec<PictureFile> {
        let body = post.markdown.as_str();
        let cover = match &post.cover {
            ImportedCover::File { address, alt, .. } => Some((address.as_str(), alt.clone())),
            ImportedCover::Unknown | ImportedCover::None | ImportedCover::Asset(_) => None,
        };
        let of_body = markdown::addresses_in(body).into_iter().map(|address| (&body[address.span], None));
        let mut known = HashSet::new();
        let enclosure = post.enclosure.iter().map(|enclosure| (enclosure.url.as_str(), None));
        let addresses = cover.into_iter().chain(of_body).chain(enclosure).filter(|(address, _)| known.insert(*address));
        let pictures = addresses.filter_map(|(address, alt)| {
            let file = self.file_of(address)?;
            Some(PictureFile { origin: origin.to_owned(), address: address.to_owned(), alt, file })
        });
        pictures.collect()
    }

    /// Why pictures stay at their addresses if the folder does not exist. `left`: the number of them.
    pub(super) fn why_left(&self, left: usize) -> String {
        let folder = self.folder;
        match self.addresses {
            Addresses::Site(_) => format!(
                "the folder {folder} is not beside the file of the export, so the pictures of the site stay at their addresses (found: {left}); copy it there to import them"
            ),
            Addresses::Servers(_) => format!(
                "the export has no folder {folder}, so the pictures stay at their addresses (found: {left}); docs/moving.md has the command that gets them"
            ),
            Addresses::Hosts(_) | Addresses::Files(_) => format!(
                "no folder beside the file of the export has the name of their server, so the pictures stay at their addresses (found: {left}); export again with --download-assets to import them"
            ),
        }
    }

    /// The file of a picture, as a path below the root, or the reason why there is none; `None` for any other address.
    pub fn file_of(&self, address: &str) -> Option<Result<String, String>> {
        let names = match &self.addresses {
            Addresses::Site(site) => {
                let path = markdown::path_of_address(below_site(site, address)?);
                let inside = path.strip_prefix(self.folder)?.strip_prefix('/')?;
                names_of(inside)
            }
            // Some file systems do not allow an asterisk in a name.
            Addresses::Servers(name_of) => {
                let name = name_of(address)?;
                let other = Some(name.replace('*', "_")).filter(|other| *other != name);
                std::iter::once(name).chain(other).collect()
            }
            Addresses::Hosts(path_of) | Addresses::Files(path_of) => vec![path_of(address)?],
        };
        let is_taken = |name: &String| markdown::is_picture_name(name) || FileFormat::of_name(name).is_some();
        if !names.first().is_some_and(is_taken) {
            return None;
        }
        for candidate in names {
            match markdown::file_below(&self.root, "", &format!("{}/{candidate}", self.folder)) {
                Ok(Some(file)) => return Some(Ok(file)),
                Ok(None) => {}
                Err(outside) => return Some(Err(outside.to_owned())),
            }
        }
        Some(Err("there is no such file in or beside the export".to_owned()))
    }

    /// Replaces the addresses of pictures and files by those of their assets.
    pub fn replaced(&self, body: &str, asset: impl Fn(&str) -> Option<AssetName>) -> String {
        markdown::with_addresses(body, |_, address| Some(asset(&self.file_of(address)?.ok()?)?.path()))
    }
}

/// The path of an address of the site, without its first slash.
fn below_site<'a>(site: &str, address: &'a str) -> Option<&'a str> {
    if let Some(address) = without_scheme(address) {
        return address.strip_prefix(site).filter(|_| !site.is_empty())?.strip_prefix('/');
    }
    let path = address.strip_prefix('/')?;
    let folder = site.split_once('/').map_or("", |(_, folder)| folder);
    Some(path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')).unwrap_or(path))
}

fn without_scheme(address: &str) -> Option<&str> {
    let rest = ["https://", "http://", "//"].iter().find_map(|scheme| address.strip_prefix(scheme))?;
    Some(rest.strip_prefix("www.").unwrap_or(rest))
}

/// The names under which the file of a picture may exist. Ghost generates smaller pictures on request, so the original is first; WordPress generates
/// them at once, some of them cropped, so the original is only for a copy of the folder without the others.
fn names_of(name: &str) -> Vec<String> {
    let of_ghost = name.strip_prefix("size/").and_then(|sized| Some(sized.split_once('/')?.1));
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let of_wordpress = file.rsplit_once('.').and_then(|(stem, ending)| {
        let (original, size) = stem.rsplit_once('-')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_size = size == "scaled" || size.split_once('x').is_some_and(|(w, h)| is_number(w) && is_number(h));
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        is_size.then(|| format!("{folder}{original}.{ending}"))
    });
    of_ghost.map(str::to_owned).into_iter().chain([name.to_owned()]).chain(of_wordpress).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(files: &[&str], site: &str) -> (tempfile::TempDir, Media) {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, b"x").expect("a file");
        }
        let mut media = Media::beside(&folder.path().join("site.xml"), "wp-content/uploads");
        media.set_site(site);
        (folder, media)
    }

    #[test]
    fn an_address_of_the_site_is_the_file_at_its_path() {
        let file = "wp-content/uploads/2020/01/a b.jpg";
        let (_folder, media) = media(&[file], "https://www.blog.example/news/");
        for address in [
            "https://blog.example/news/wp-content/uploads/2020/01/a%20b.jpg",
            "http://www.blog.example/news/wp-content/uploads/2020/01/a b.jpg?w=300#x",
            "//blog.example/news/wp-content/uploads/2020/01/a%20b-300x200.jpg",
            "/news/wp-content/uploads/2020/01/a%20b-scaled.jpg",
            "/wp-content/uploads/2020/01/a%20b.jpg",
        ] {
            assert_eq!(media.file_of(address), Some(Ok(file.to_owned())), "{address}");
        }
        for address in [
            "https://other.example/news/wp-content/uploads/2020/01/a%20b.jpg",
            "https://blog.example/newspaper/wp-content/uploads/2020/01/a%20b.jpg",
            "https://blog.example/news/wp-content/themes/a.jpg",
            "https://blog.example/news/wp-content/uploads/2020/01/a.php",
            "wp-content/uploads/2020/01/a%20b.jpg",
        ] {
            assert_eq!(media.file_of(address), None, "{address}");
        }
        for address in ["/wp-content/uploads/2020/01/b.jpg", "/wp-content/uploads/../../../a.jpg"] {
            assert!(matches!(media.file_of(address), Some(Err(_))), "{address}");
        }
    }

    #[test]
    fn a_smaller_picture_of_wordpress_is_itself_and_one_of_ghost_is_its_original() {
        assert_eq!(names_of("2020/a-300x200.jpg"), ["2020/a-300x200.jpg", "2020/a.jpg"]);
        assert_eq!(names_of("size/w600/2020/a.jpg"), ["2020/a.jpg", "size/w600/2020/a.jpg"]);
        for name in ["a.jpg", "a-x200.jpg", "a-300x.jpg", "a-b.jpg", "2-300x200/a.jpg"] {
            assert_eq!(names_of(name), [name]);
        }
    }

    #[test]
    fn a_picture_on_the_servers_of_a_system_is_the_file_of_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(PICTURES)).expect("a folder");
        for name in ["1*a.png", "1_b.png"] {
            std::fs::write(folder.path().join(PICTURES).join(name), b"x").expect("a file");
        }
        let media = Media::inside(folder.path(), |address| Some(address.strip_prefix("cdn:")?.to_owned()));
        assert_eq!(media.file_of("cdn:1*a.png"), Some(Ok("images/1*a.png".to_owned())));
        assert_eq!(media.file_of("cdn:1*b.png"), Some(Ok("images/1_b.png".to_owned())));
        for address in ["cdn:1*c.png", "cdn:../../a.png"] {
            assert!(matches!(media.file_of(address), Some(Err(_))), "{address}");
        }
        assert_eq!((media.file_of("cdn:a.php"), media.file_of("/images/1*a.png")), (None, None));
    }

    #[test]
    fn a_picture_may_be_the_file_of_its_path_or_of_its_host_and_path() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("images.cdn.example/x")).expect("folders");
        std::fs::write(folder.path().join("images.cdn.example/x/a b.png"), b"x").expect("a file");
        let export = folder.path().join("export.json");
        let hosts = Media::beside_by_host(&export, |address| {
            let path = markdown::path_of_address(address.strip_prefix("https://")?);
            Some(path).filter(|path| path.contains(".cdn."))
        });
        let file = "images.cdn.example/x/a b.png".to_owned();
        assert_eq!(hosts.file_of("https://images.cdn.example/x/a%20b.png?w=1"), Some(Ok(file.clone())));
        assert_eq!(hosts.file_of("https://images.example/x/a%20b.png"), None);
        let gone = hosts.file_of("https://images.cdn.example/x/b.png");
        assert_eq!(gone, Some(Err("there is no such file in or beside the export".to_owned())));
        assert!(hosts.exists() && !Media::beside_by_host(&export, |_| None).exists());
        let files = Media::of_files(folder.path(), |address| Some(address.strip_prefix('/')?.replace("%20", " ")));
        assert_eq!(files.file_of("/images.cdn.example/x/a%20b.png"), Some(Ok(file)));
        assert!(matches!(files.file_of("/../a.png"), Some(Err(_))) && files.file_of("a.png").is_none());
    }

    #[test]
    fn pictures_and_links_to_pictures_are_replaced() {
        let (_folder, media) = media(&["wp-content/uploads/a.jpg"], "https://blog.example");
        let name: AssetName = format!("{}.jpg", "a".repeat(tidings_model::asset::HASH_CHARS)).parse().expect("a name");
        let body = "<a href='https://blog.example/wp-content/uploads/a.jpg'><img src=\"/wp-content/uploads/a-1x1.jpg\"></a> \
                    <a href=\"https://blog.example/b/\">b</a> href=\"";
        let replaced = media.replaced(body, |file| (file == "wp-content/uploads/a.jpg").then(|| name.clone()));
        let path = name.path();
        let expected =
            format!("<a href='{path}'><img src=\"{path}\"></a> <a href=\"https://blog.example/b/\">b</a> href=\"");
        assert_eq!(replaced, expected);
        assert_eq!(media.replaced(body, |_| None), body);
    }
}
