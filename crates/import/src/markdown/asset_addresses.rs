//! The addresses of assets in an exported body: a post has those of the server, its Markdown file relative ones. The rule: both directions find the
//! same addresses and undo each other; an address of another form stays byte for byte.

use std::collections::HashSet;

use tidings_model::AssetName;

use super::addresses;

/// The folder of the pictures of an export, as in the addresses of the server.
const FOLDER: &str = "assets/";

/// The names of the assets whose addresses occur anywhere in a text, even in code, without duplicates.
pub fn asset_names(text: &str) -> Vec<AssetName> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for (at, _) in text.match_indices(FOLDER) {
        let rest = &text[at + FOLDER.len()..];
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        let stem = rest.bytes().take_while(is_of_name).count();
        let Some(extension) = rest[stem..].strip_prefix('.') else { continue };
        let length = stem + 1 + extension.bytes().take_while(u8::is_ascii_alphanumeric).count();
        names.extend(rest[..length].parse::<AssetName>().ok().filter(|name| seen.insert(name.clone())));
    }
    names
}

/// The assets among the pictures of a body: the text before `/assets/`, and the name.
pub fn assets_of_pictures(markdown: &str) -> Vec<(&str, AssetName)> {
    let of_asset = |address: &'_ str| {
        let at = address.find("/assets/")?;
        Some((at, asset_of(&address[at + 1..])?.0))
    };
    let found = addresses::all(markdown).into_iter();
    found.filter_map(|address| of_asset(address).map(|(at, name)| (&address[..at], name))).collect()
}

/// The body for a file at this path of an export, with relative addresses of the pictures in the export.
pub fn with_relative_addresses(path: &str, base: &str, markdown: &str, has: impl Fn(&AssetName) -> bool) -> String {
    addresses::replaced(markdown, |address| {
        let (name, rest) = asset_of(address.strip_prefix(base)?.strip_prefix('/')?)?;
        has(&name).then(|| format!("{}{rest}", relative_address(path, &name)))
    })
}

/// The body of such a file with the addresses of the server. `named`: returns the asset for the picture with this name.
pub fn with_server_addresses(path: &str, base: &str, markdown: &str, named: impl Fn(AssetName) -> AssetName) -> String {
    addresses::replaced(markdown, |address| {
        let (name, rest) = of_relative_address(path, address)?;
        Some(format!("{base}{}{rest}", named(name).path()))
    })
}

/// The address of a picture in a file at this path below the folder of the export.
pub fn relative_address(path: &str, name: &AssetName) -> String {
    format!("{}{FOLDER}{name}", above(path))
}

/// The picture of such an address, and the text after its name.
pub fn of_relative_address<'a>(path: &str, address: &'a str) -> Option<(AssetName, &'a str)> {
    asset_of(address.strip_prefix(above(path).as_str())?)
}

/// The relative path from a file to the root of its folder.
fn above(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// The asset of `assets/{name}`, and the query after it.
fn asset_of(path: &str) -> Option<(AssetName, &str)> {
    let name = path.strip_prefix(FOLDER)?;
    let end = name.find(['?', '#']).unwrap_or(name.len());
    Some((name[..end].parse().ok()?, &name[end..]))
}

#[cfg(test)]
mod tests {
    use tidings_model::asset::HASH_CHARS;

    use super::*;

    fn name(digit: char, extension: &str) -> String {
        format!("{}.{extension}", digit.to_string().repeat(HASH_CHARS))
    }

    #[test]
    fn names_are_found_anywhere_in_a_text() {
        let (a, b) = (name('a', "png"), name('b', "webp").replace('.', "-640x480."));
        let text = format!(
            "`/assets/{a}` [x](https://c/assets/{b}?width=160) assets/{a}, /assets/{} assets/{} assets/ é/assets/é{a} assets/{}",
            name('A', "png"),
            name('c', "avif"),
            &a[..30],
        );
        assert_eq!(asset_names(&text).iter().map(ToString::to_string).collect::<Vec<_>>(), [a, b]);
    }

    #[test]
    fn addresses_become_relative_and_back() {
        let (a, b) = (name('a', "png"), name('b', "jpg"));
        for (base, path, up) in
            [("", "posts/x.md", "../"), ("https://c", "pages/a/b/_index.md", "../../../"), ("", "x.md", "")]
        {
            let body = format!(
                "![]({base}/assets/{a}?width=160) <img src='{base}/assets/{a}' srcset='{base}/assets/{a}?width=320 320w, {base}/assets/{b} 2x'>\n\
                 `![]({base}/assets/{a})` [link]({base}/assets/{a}) ![](https://other/assets/{a}) ![]({base}/assets/{a}/x.png)"
            );
            let relative = with_relative_addresses(path, base, &body, |name| name.to_string() == a);
            let expected = format!(
                "![]({up}assets/{a}?width=160) <img src='{up}assets/{a}' srcset='{up}assets/{a}?width=320 320w, {base}/assets/{b} 2x'>\n\
                 `![]({base}/assets/{a})` [link]({base}/assets/{a}) ![](https://other/assets/{a}) ![]({base}/assets/{a}/x.png)"
            );
            assert_eq!(relative, expected);
            assert_eq!(with_server_addresses(path, base, &relative, |name| name), body);
        }
    }

    #[test]
    fn the_server_of_each_picture_is_found() {
        let a = name('a', "png");
        let body = format!("![](/assets/{a}) ![](https://c/x/assets/{a}) ![](../assets/{a}) [](/assets/{a})");
        let bases: Vec<_> = assets_of_pictures(&body).into_iter().map(|(base, _)| base.to_owned()).collect();
        assert_eq!(bases, ["", "https://c/x", ".."]);
    }
}
