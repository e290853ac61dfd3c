//! S3 for a test: moto, a server in Python that compares the signature of every request with the one that AWS's own library computes.

use std::path::Path;

use super::listening::Listening;
use super::python::python;

/// A process with the bucket `pictures`.
pub struct S3 {
    pub endpoint: String,
    pub access_key_id: String,
    pub secret_access_key: String,
    process: Listening,
}

impl S3 {
    pub fn start() -> Self {
        let mut command = python("s3");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/s3/server.py"));
        let process = Listening::start("moto", command);
        let log = process.log();
        let mut key = log.lines().find_map(|line| line.strip_prefix("Access key ")).expect("its key").split(' ');
        let mut part = || key.next().expect("an id and a secret").to_owned();
        Self {
            endpoint: format!("http://127.0.0.1:{}", process.port),
            access_key_id: part(),
            secret_access_key: part(),
            process,
        }
    }

    pub fn requests(&self) -> Vec<String> {
        self.process.requests()
    }
}
