//! `tidings webhook`: the webhooks of a site. The rule: only a running server sends deliveries; this command requests them through the store.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::app::{self, Missing};
use crate::config::Sources;
use crate::content::access::operator;
use crate::content::webhooks::{Delivery, Webhook, WebhookStatus, Webhooks};
use crate::model::{NodeId, WebhookId};

use super::flags::{Flags, OfStore};
use super::output::output;
use super::token::{Lifetime, in_words, seconds};
use super::{CommandError, in_one_line, store_of};

/// The number of checks for the result, which together take longer than a receiver may take to answer.
const TEST_LOOKS: u32 = 100;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// List and test webhooks, and send changes again. GraphQL creates them.
#[derive(Debug, Args)]
pub(super) struct WebhookCommand {
    #[command(subcommand)]
    action: WebhookAction,
}

#[derive(Debug, Subcommand)]
enum WebhookAction {
    List(List),
    Test(Test),
    Replay(Replay),
}

/// List the webhooks, oldest first, with the last attempt to send a message.
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    store: Flags<OfStore>,
}

/// Have the running server send a test, and print what came of it.
#[derive(Debug, Args)]
struct Test {
    /// The webhook's id, as `tidings webhook list` or GraphQL shows it.
    id: String,
    #[command(flatten)]
    store: Flags<OfStore>,
}

/// Have the running server send the changes since a time again.
#[derive(Debug, Args)]
struct Replay {
    /// The webhook's id, as `tidings webhook list` or GraphQL shows it.
    id: String,
    /// How long ago: a number and m, h, d or w, such as 2h; at most 29d.
    #[arg(long, value_name = "TIME")]
    since: Lifetime,
    #[command(flatten)]
    store: Flags<OfStore>,
}

impl WebhookCommand {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        match self.action {
            WebhookAction::List(list) => list.run(sources).await?,
            WebhookAction::Test(test) => test.run(sources).await?,
            WebhookAction::Replay(replay) => replay.run(sources).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl List {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        let webhooks = Webhooks::new(&content, &reader, &actor)?.list().await?;
        let mut out = output();
        writeln!(out, "{:12}  {:8}  {:44}  URL", "ID", "STATE", "LAST ATTEMPT")?;
        for webhook in &webhooks {
            let last = webhook.deliveries.last().map_or_else(|| "none".to_owned(), in_short);
            let (id, url) = (webhook.id.as_str(), in_one_line(&webhook.url));
            writeln!(out, "{id:12}  {:8}  {last:44}  {url}", state(webhook))?;
        }
        Ok(())
    }
}

fn state(webhook: &Webhook) -> &'static str {
    match webhook.status {
        WebhookStatus::Disabled => "disabled",
        WebhookStatus::Gone => "gone",
        WebhookStatus::Active if webhook.failing.is_some() => "failing",
        WebhookStatus::Active => "active",
    }
}

fn in_short(delivery: &Delivery) -> String {
    let status = delivery.status.map(|status| format!(" {status}")).unwrap_or_default();
    let mut outcome = String::new();
    for letter in format!("{:?}", delivery.outcome).chars() {
        if letter.is_uppercase() && !outcome.is_empty() {
            outcome.push(' ');
        }
        outcome.push(letter.to_ascii_lowercase());
    }
    format!("{} {outcome}{status}", seconds(delivery.at))
}

impl Test {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        let webhooks = Webhooks::new(&content, &reader, &actor)?;
        let asked = webhooks.test(&node_id(self.id)).await?.map_err(in_words)?;
        let before = last_test(&asked).map(|tested| tested.message.clone());
        for _ in 0..TEST_LOOKS {
            tokio::time::sleep(LOOK_EVERY).await;
            let Some(webhook) = webhooks.get(&asked.id).await? else { break };
            let is_new = |tested: &&Delivery| !webhook.is_tested && before.as_ref() != Some(&tested.message);
            if let Some(tested) = last_test(&webhook).filter(is_new) {
                return Ok(writeln!(output(), "{} in {} ms", in_short(tested), tested.milliseconds)?);
            }
        }
        Err("no server has sent the test; is one running?".into())
    }
}

fn last_test(webhook: &Webhook) -> Option<&Delivery> {
    webhook.deliveries.iter().rev().find(|delivery| delivery.message.starts_with("test_"))
}

impl Replay {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        let since = self.since.before(reader.now())?;
        let webhooks = Webhooks::new(&content, &reader, &actor)?;
        let webhook = webhooks.replay(&node_id(self.id), since).await?.map_err(in_words)?;
        Ok(writeln!(output(), "The changes since {} are sent again to the webhook {}.", seconds(since), webhook.id)?)
    }
}

/// The id of a webhook in GraphQL. `tidings webhook list` shows it without its prefix.
fn node_id(id: String) -> String {
    id.parse::<WebhookId>().map_or(id, |id| NodeId::Webhook(id).to_string())
}
