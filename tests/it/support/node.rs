//! Programs of Node.js that a test runs. The rule: a program that is not installed fails its test with the command that installs it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of the checkout that has a `package.json`, with its dependencies installed.
#[derive(Debug)]
pub struct Package(PathBuf);

impl Package {
    /// `folder`: relative to the root of the checkout, such as `tests/browser`.
    pub fn at(folder: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        assert!(
            path.join("node_modules").is_dir(),
            "the dependencies of {folder} are not installed: npm ci --prefix {folder}"
        );
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Runs `node` with these arguments and variables in the folder; returns what it prints.
    pub fn node(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        self.run("node", arguments, variables)
    }

    /// Runs a script of the `package.json`.
    pub fn script(&self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) {
        let arguments = [&["run", "--silent", name, "--"], arguments].concat();
        self.run("npm", &arguments, variables);
    }

    /// # Panics
    /// If the program fails, with its whole output.
    fn run(&self, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().copied()).env("NO_COLOR", "1").current_dir(&self.0);
        let output = command.output().unwrap_or_else(|error| panic!("{program} does not run: {error}"));
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{program} {arguments:?} in {}:\n{out}\n{err}", self.0.display());
        out.into_owned()
    }
}
