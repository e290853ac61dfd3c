//! Commands with `--assets az://…` and `s3://…`: an import, servers, an export, and what they print if the place cannot be used.

use std::fs;
use std::path::Path;

use crate::support::azurite::{
    Azurite, AzuriteBlobs, blob_connection_string, connection_string, emulator_key, random_prefix,
};
use crate::support::command::{Ran, Serving, finish, tidings};
use crate::support::s3::S3;

/// A key that must not occur in the output; Base64.
const SECRET: &str = "c2VjcmV0LW9mLXRoZS10ZXN0LXNlY3JldA==";

fn blog() -> String {
    format!("{}/examples/blog", env!("CARGO_MANIFEST_DIR"))
}

/// The flags and variables that all commands of a test have.
struct Site {
    flags: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Site {
    fn run(&self, arguments: &[&str]) -> Ran {
        let flags: Vec<&str> = arguments.iter().copied().chain(self.flags.iter().map(String::as_str)).collect();
        let mut command = tidings(&flags);
        command.envs(self.variables.iter().cloned());
        finish(command)
    }

    fn serve(&self) -> Serving {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let variables: Vec<_> = self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Serving::start_with(&flags, &variables)
    }

    /// The cover of a post, in a width, from this server: the head of the answer, whose body is no text.
    fn assert_cover(&self, serving: &Serving) {
        let found = serving.query("{ post(slug: \"how-to-wash-a-mirror\") { cover { url(width: 320) width } } }");
        assert_eq!(found["post"]["cover"]["width"], 1200, "{found}");
        let url = found["post"]["cover"]["url"].as_str().expect("a URL");
        let command = std::process::Command::new("curl")
            .args([
                "-sS",
                "--fail",
                "-o",
                "-",
                "-w",
                "%{stderr}%{content_type}",
                &format!("http://{}{url}", serving.address),
            ])
            .output();
        let answered = command.expect("curl runs");
        let kind = String::from_utf8_lossy(&answered.stderr).into_owned();
        assert!(answered.status.success() && kind == "image/jpeg", "{kind}");
        assert!(answered.stdout.starts_with(&[0xff, 0xd8, 0xff]), "a JPEG");
    }

    fn assert_shows_no_secret(&self, secrets: &[&str]) {
        let shown = self.run(&["serve", "--print-config"]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        for secret in secrets {
            assert!(!shown.out.contains(secret), "{}", shown.out);
        }
    }
}

fn files_of(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Imports the example, serves its pictures from two servers if they can share the store, and exports it with the same pictures.
fn assert_pictures_pass(site: &Site, servers: usize) {
    let imported = site.run(&["import", &blog()]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let again = site.run(&["import", &blog()]);
    assert!(again.summary().contains(" 0 created, 0 changed, "), "{again:?}");
    let serving: Vec<Serving> = (0..servers).map(|_| site.serve()).collect();
    serving.iter().for_each(|serving| site.assert_cover(serving));
    for serving in serving {
        assert_eq!(serving.stop().0, Some(0));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let exported = folder.path().join("exported");
    let ran = site.run(&["export", "--markdown", exported.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    // The same pictures as with the store that a file has beside it.
    let (store, beside) = (folder.path().join("store"), folder.path().join("beside"));
    let flags = vec!["--store".to_owned(), format!("file:{}", store.display())];
    let local = Site { flags, variables: Vec::new() };
    assert_eq!(local.run(&["import", &blog()]).code, Some(0));
    assert_eq!(local.run(&["export", "--markdown", beside.to_str().expect("UTF-8")]).code, Some(0));
    let pictures = files_of(&exported.join("assets"));
    assert!(pictures.len() > 5, "{pictures:?}");
    assert_eq!(pictures, files_of(&beside.join("assets")));
    for name in &pictures {
        let read = |folder: &Path| fs::read(folder.join("assets").join(name)).expect("a picture");
        assert_eq!(read(&exported), read(&beside), "{name}");
    }
}

#[test]
fn a_blog_and_its_pictures_are_in_one_account_of_azurite() {
    let (tables, blobs) = (Azurite::any(), AzuriteBlobs::start());
    let connection = format!("{}BlobEndpoint={};", connection_string(&tables.endpoint), blobs.endpoint);
    let prefix = random_prefix();
    let flags = ["--store", "azure", "--table-prefix", &prefix, "--assets", "az://pictures/blog"];
    let site = Site {
        flags: flags.map(str::to_owned).to_vec(),
        variables: vec![("AZURE_STORAGE_CONNECTION_STRING", connection)],
    };
    assert_pictures_pass(&site, 2);
}

#[test]
fn pictures_of_a_store_file_are_in_s3() {
    let s3 = S3::start();
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file:{}", folder.path().join("store").display());
    let site = Site {
        flags: ["--store", &store, "--assets", "s3://pictures/blog"].map(str::to_owned).to_vec(),
        variables: vec![
            ("AWS_ENDPOINT_URL_S3", s3.endpoint.clone()),
            ("AWS_ACCESS_KEY_ID", s3.access_key_id.clone()),
            ("AWS_SECRET_ACCESS_KEY", s3.secret_access_key.clone()),
        ],
    };
    assert_pictures_pass(&site, 1);
    site.assert_shows_no_secret(&[&s3.secret_access_key]);
}

#[test]
fn a_container_that_does_not_exist_on_azurite_is_named_in_one_line() {
    let blobs = AzuriteBlobs::start();
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file:{}", folder.path().join("store").display());
    let site = |key: &str| Site {
        flags: ["--store", &store, "--assets", "az://pictures"].map(str::to_owned).to_vec(),
        variables: vec![("TIDINGS_ASSETS_CONNECTION_STRING", blob_connection_string(&blobs.endpoint, key))],
    };
    let beside = Site { flags: vec!["--store".to_owned(), store.clone()], variables: Vec::new() };
    assert_eq!(beside.run(&["import", &blog()]).code, Some(0));
    let refused = site(emulator_key()).run(&["serve", "--listen", "127.0.0.1:0"]);
    let complaint = refused.complaint();
    assert!(complaint.starts_with("the place of the pictures, az://pictures, cannot be used; "), "{complaint}");
    assert!(complaint.contains("the account has no container pictures: create it"), "{complaint}");
    let refused = site(SECRET).run(&["serve", "--listen", "127.0.0.1:0"]);
    let complaint = refused.complaint();
    assert!(complaint.contains("check the account") && !complaint.contains(SECRET), "{complaint}");
    site(SECRET).assert_shows_no_secret(&[SECRET]);
}

#[test]
fn what_a_place_of_azure_or_s3_needs_is_named_in_the_error() {
    for (place, named) in [
        ("az://pictures", "AZURE_STORAGE_CONNECTION_STRING"),
        ("s3://pictures", "AWS_SECRET_ACCESS_KEY"),
        ("gs://pictures", "write a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER"),
        ("az://Pictures", "a container or bucket has 3 to 63 lower-case letters"),
    ] {
        let ran = finish(tidings(&["serve", "--create", "--assets", place, "--listen", "127.0.0.1:0"]));
        assert_ne!(ran.code, Some(0));
        assert!(ran.err.contains("--assets: ") && ran.err.contains(named), "{place}: {ran:?}");
    }
}
