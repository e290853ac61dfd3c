//! The files of a release, made from the binary under test: the archive, the installer and the packages for npm. The rule: each is used as a user uses
//! it, in a folder of its own.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with the archive for this machine.
fn release() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    package(&["archive", "--binary", env!("CARGO_BIN_EXE_tidings")], folder.path());
    folder
}

fn package(arguments: &[&str], out: &Path) -> String {
    let mut command = Command::new("scripts/package");
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).arg("--out").arg(out);
    succeed(&mut command)
}

fn run(command: &mut Command) -> (bool, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, err] = [stdout, stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (status.success(), out, err)
}

fn succeed(command: &mut Command) -> String {
    let (succeeded, out, err) = run(command);
    assert!(succeeded, "{command:?}: {out}{err}");
    out
}

/// The installer of this release, for a user with this home folder.
fn installer(release: &Path, home: &Path) -> Command {
    package(&["installer", "--base", &format!("file://{}", release.display())], release);
    let mut command = Command::new("sh");
    command.arg(release.join("install.sh")).env("HOME", home).env_remove("TIDINGS_PREFIX");
    command
}

fn archive_in(release: &Path) -> std::path::PathBuf {
    let entries = std::fs::read_dir(release).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut archives = entries.filter(|path| path.extension().is_some_and(|ending| ending == "gz"));
    archives.next().expect("an archive")
}

#[test]
fn the_archive_of_a_release_serves_the_sample_blog() {
    let release = release();
    let printed = package(&["try"], release.path());
    assert!(printed.contains("it has imported and served the sample blog"), "{printed}");
}

#[test]
fn the_installer_installs_the_binary_its_manual_and_its_completion() {
    let (release, home) = (release(), tempfile::tempdir().expect("a folder"));
    succeed(&mut installer(release.path(), home.path()));
    let local = home.path().join(".local");
    let version = succeed(Command::new(local.join("bin/tidings")).arg("--version"));
    assert_eq!(version, concat!("tidings ", env!("CARGO_PKG_VERSION"), "\n"));
    for file in
        ["share/man/man1/tidings.1", "share/man/man1/tidings-serve.1", "share/bash-completion/completions/tidings"]
    {
        assert!(local.join(file).is_file(), "{file}");
    }
    // An installation replaces the one before.
    succeed(&mut installer(release.path(), home.path()));
}

#[test]
fn the_installer_installs_nothing_if_the_archive_was_changed() {
    let (release, home) = (release(), tempfile::tempdir().expect("a folder"));
    let archive = archive_in(release.path());
    let mut bytes = std::fs::read(&archive).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&archive, bytes).expect("a file");
    let (succeeded, _, err) = run(&mut installer(release.path(), home.path()));
    assert!(!succeeded && err.contains("nothing was installed"), "{err}");
    assert!(!home.path().join(".local").exists());
}

#[test]
fn the_installer_of_no_release_says_what_is_missing() {
    let home = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/install.sh");
    let (succeeded, _, err) = run(Command::new("sh").arg(script).env("HOME", home.path()));
    assert!(!succeeded && err.contains("This file is not of a release"), "{err}");
}

/// Installed from the files, without a registry; npm omits the packages of other platforms.
#[test]
fn the_npm_packages_run_the_binary() {
    let (release, project) = (release(), tempfile::tempdir().expect("a folder"));
    let packages = package(&["npm"], release.path());
    assert_eq!(packages.lines().count(), 2, "{packages}");
    std::fs::write(project.path().join("package.json"), "{}").expect("a file");
    let npm = ["install", "--offline", "--no-audit", "--no-fund"];
    succeed(Command::new("npm").args(npm).args(packages.lines()).current_dir(project.path()));
    let tidings = project.path().join("node_modules/.bin/tidings");
    let version = succeed(Command::new(&tidings).arg("--version"));
    assert_eq!(version, concat!("tidings ", env!("CARGO_PKG_VERSION"), "\n"));
    // The exit code is that of the binary.
    let status = Command::new(&tidings).arg("nothing").output().expect("it runs").status;
    assert_eq!(status.code(), Some(2));
}
