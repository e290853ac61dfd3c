//! Lists the files of `playground/dist` and `editor/dist` for `src/http/pages.rs`, and strips the released program. The rule: the binary holds them all,
//! so that it serves them wherever it is put.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script by the environment where it works")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    strip();
    list("playground")?;
    list("editor")
}

/// Makes the released program a fifth smaller: Cargo ignores `strip` for a package whose level the profile sets.
fn strip() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|set| set == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}

/// Writes the list of the files of a build.
fn list(name: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={name}/dist");
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the folder")).join(name).join("dist");
    let mut paths = files_below(&root).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", root.display())))?;
    paths.sort();
    let mut list = String::from("&[\n");
    for path in &paths {
        let name = path.strip_prefix(&root).expect("it is below").display().to_string().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").expect("a string takes all");
    }
    list.push_str("]\n");
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder"));
    fs::write(output.join(format!("{name}.rs")), list)
}

fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}
