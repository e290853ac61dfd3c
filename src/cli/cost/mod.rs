//! `tidings cost`: the bounds of the documents of a front end, without a server. The rule: the bounds are computed as a server computes them before it runs
//! a request, and the exit code is 0 only if no document is over its budget.

mod budget;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use super::flags::{Flags, OfFields, OfStore};
use super::output::{output, print_line};
use super::{CommandError, in_one_line, store_of};
use crate::app::{self, Missing};
use crate::config::{Sources, document_limits, site_fields, table};
use crate::content::Content;
use crate::content::read::Catalog;
use crate::graphql::cost::Sizes;
use crate::graphql::persisted::{BoundModel, Manifest, check, read_text};
use crate::model::{Instant, TermKind};
use budget::Budgets;
use report::{Costed, Report};

/// The posts, months and terms of a store that is not read: those of a blog after five years.
const POSTS: u64 = 1_000;
const MONTHS: u64 = 60;
const TERMS: u64 = 100;

/// The most that can be assumed of each.
const POSTS_MAX: u64 = 100_000_000;
const MONTHS_MAX: u64 = 12_000;
const TERMS_MAX: u64 = 10_000_000;

/// Bytes of a file of variables or budgets.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Any instant: a bound depends on how many posts the months have, not on when they are.
const NOW: &str = "2026-01-15T00:00:00Z";

/// Print the upper bound of the storage requests of each document, and compare it with a budget.
///
/// A variable has its value of --variables, else its default, else the dearest value: the largest page (100), the longest list. With these values, the bound
/// holds for every client. The lists of months and of first characters count as cached, as in a server that has answered a query; nothing else does.
#[derive(Debug, Args)]
pub(super) struct Cost {
    /// Manifests of graphql-codegen, relay-compiler or Apollo (JSON), or documents (.graphql).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Budgets of storage requests in a JSON object, by the names of the operations; "*" is for all others. Exit code 1 if a bound is above its budget.
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// Values of variables in a JSON object, by the names of the variables in all documents.
    #[arg(long, value_name = "FILE")]
    variables: Option<PathBuf>,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The number of posts, evenly in all months.
    #[arg(long, value_name = "NUMBER", default_value_t = POSTS, value_parser = clap::value_parser!(u64).range(..=POSTS_MAX))]
    posts: u64,
    /// The number of months with posts.
    #[arg(long, value_name = "NUMBER", default_value_t = MONTHS, value_parser = clap::value_parser!(u64).range(1..=MONTHS_MAX))]
    months: u64,
    /// The number of categories, of tags and of authors.
    #[arg(long, value_name = "NUMBER", default_value_t = TERMS, value_parser = clap::value_parser!(u64).range(..=TERMS_MAX))]
    terms: u64,
    /// Assume a store on tables, where posts may be moved by other servers meanwhile.
    #[arg(long)]
    tables: bool,
    /// Read the numbers of posts, months and terms from the store that --store names.
    #[arg(long, conflicts_with_all = ["posts", "months", "terms", "tables"])]
    read_store: bool,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    fields: Flags<OfFields>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people.
    #[default]
    Table,
    /// For programs.
    Json,
}

impl Cost {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let given = self.variables.as_deref().map(object).transpose()?.unwrap_or_default();
        let budgets = self.budget.as_deref().map(|path| Budgets::of(path, object(path)?)).transpose()?;
        let manifests: Vec<Manifest> = self.files.iter().map(|path| Manifest::read(path)).collect::<Result<_, _>>()?;
        let settings = sources.with([self.store.typed.clone(), self.fields.typed.clone()].concat());
        let fields = site_fields(&settings)?;
        let (limits, limit) = (document_limits(&settings)?, settings.number(&table::limits::STORAGE_REQUESTS)?);
        let mut sizes = match self.read_store {
            true => {
                sizes_of(
                    &app::open(&store_of(sources, self.store.clone())?, Missing::Refuse).await?.at_one_moment().await?,
                )
                .await?
            }
            false => sizes(self.posts, self.months, self.terms, self.tables)?,
        };
        sizes.indexed_fields = sizes.indexed_fields.max(fields.indexed().len() as u64);
        let (model, mut report) = (BoundModel::new(&fields), Report::new(self.assumption(), limit));
        for manifest in &manifests {
            for (listed, document) in check(manifest, (&limits, &fields), &given)? {
                for operation in model.bounds(&document, &given, &sizes) {
                    let name = operation.name.clone().unwrap_or_else(|| listed.id.clone());
                    let budget = budgets.as_ref().and_then(|budgets| budgets.of_operation(&name));
                    let (file, id) = (manifest.file.clone(), listed.id.clone());
                    report.add(Costed { file, id, name, operation, budget });
                }
            }
        }
        self.check_names(&given, budgets.as_ref(), &report)?;
        let text = if self.format == Format::Json { report.json() } else { report.table() };
        output().write_all(text.as_bytes())?;
        let over = report.over_budget();
        for line in &over {
            print_line(in_one_line(line));
        }
        Ok(if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// # Errors
    /// If a value or a budget has a name that no document has.
    fn check_names(
        &self,
        given: &Map<String, Value>,
        budgets: Option<&Budgets>,
        report: &Report,
    ) -> Result<(), CommandError> {
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        if let Some(unused) = given.keys().find(|name| !report.has_variable(name)) {
            return Err(format!("{}: no document has the variable {unused:?}", file(&self.variables)).into());
        }
        match budgets.and_then(|budgets| budgets.unused(report.names())) {
            Some(unused) => Err(format!("{}: no document has the operation {unused:?}", file(&self.budget)).into()),
            None => Ok(()),
        }
    }

    /// What the bounds assume of the content, in words.
    fn assumption(&self) -> String {
        let Self { posts, months, terms, .. } = self;
        match self.read_store {
            true => "the content of the store as it is now".to_owned(),
            false => {
                let kind = if self.tables { "on tables" } else { "in a file" };
                format!(
                    "a store {kind} with {posts} posts, none of them scheduled, and as many drafts, evenly in {months} months, and {terms} categories, \
                     tags, authors and series each, evenly by first character"
                )
            }
        }
    }
}

fn sizes(posts: u64, months: u64, terms: u64, tables: bool) -> Result<Sizes, CommandError> {
    let now: Instant = NOW.parse().map_err(|_| "the instant is valid")?;
    let of_month = |month: u64| posts / months + u64::from(month < posts % months);
    let posts: Vec<u64> = (0..months).map(of_month).collect();
    let mut sizes = Sizes::assumed(now, &posts, [terms; TermKind::ALL.len()]);
    sizes.are_shared = tables;
    Ok(sizes)
}

/// The sizes of a store, of which only the lists of partitions are read.
async fn sizes_of(content: &Content) -> Result<Sizes, CommandError> {
    let reader = content.reader();
    for catalog in Catalog::ALL {
        reader.read_catalog(catalog).await?;
    }
    Ok(reader.sizes(false))
}

fn object(path: &Path) -> Result<Map<String, Value>, CommandError> {
    let text = read_text(path, FILE_BYTES_MAX)?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{} is not a JSON object: {error}", path.display()))?)
}
