//! `tidings token`: access tokens. The rule: a token's text is printed once, alone on the standard output, and cannot be read again.

use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;

use clap::{Args, Subcommand};

use crate::app::{self, Missing};
use crate::config::Sources;
use crate::content::access::{NewToken, Previews, Tokens, operator};
use crate::content::commands::UserError;
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, NodeId, Role, Token, TokenId};

use super::flags::{Flags, OfStore};
use super::output::{output, print_line};
use super::{CommandError, in_one_line, store_of};

/// This cannot be the id of a token, which has 12 characters.
const PREVIEWS: &str = "previews";

/// Create, list and revoke access tokens.
#[derive(Debug, Args)]
pub(super) struct TokenCommand {
    #[command(subcommand)]
    action: TokenAction,
}

#[derive(Debug, Subcommand)]
enum TokenAction {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

/// Create a token and print its text, which cannot be shown again.
#[derive(Debug, Args)]
struct Create {
    /// reader (sees drafts), author (changes own posts), editor (all posts) or admin (categories, tags, authors and tokens too).
    #[arg(long)]
    role: Role,
    /// A name for the token's owner, as the log shows it.
    #[arg(long)]
    name: String,
    /// For the role author: the slug of the author whose posts the token may change.
    #[arg(long, value_name = "SLUG")]
    author: Option<String>,
    /// How long the token is valid: a number and m, h, d or w, such as 90d. Default: until it is revoked.
    #[arg(long, value_name = "TIME")]
    expires_in: Option<Lifetime>,
    #[command(flatten)]
    store: Flags<OfStore>,
}

/// List the tokens, newest first.
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    store: Flags<OfStore>,
}

/// Revoke a token or all preview links. Servers refuse them within 2 seconds.
#[derive(Debug, Args)]
struct Revoke {
    /// The token's id, as `tidings token list` or GraphQL shows it, or `previews`.
    id: String,
    #[command(flatten)]
    store: Flags<OfStore>,
}

impl TokenCommand {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        match self.action {
            TokenAction::Create(create) => create.run(sources).await?,
            TokenAction::List(list) => list.run(sources).await?,
            TokenAction::Revoke(revoke) => revoke.run(sources).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Create {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        let expires_at = self.expires_in.map(|time| time.after(reader.now())).transpose()?;
        let new = NewToken { name: self.name, role: self.role, author: self.author, expires_at };
        let (token, text) = Tokens::new(&content, &reader, &actor)?.create(new).await?.map_err(in_words)?;
        let Token { id, role, .. } = &token;
        print_line(format_args!("Created the token {id} ({role}). Save its text now; it is not shown again."));
        // This does not use `output`, because a closed pipe is an error here: a token that nobody has read is lost.
        Ok(writeln!(std::io::stdout(), "{}", text.reveal())?)
    }
}

impl List {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        let tokens = Tokens::new(&content, &reader, &actor)?.list().await?;
        let mut out = output();
        writeln!(out, "{:12}  {:6}  {:20}  {:8}  {:20}  NAME", "ID", "ROLE", "CREATED", "STATE", "EXPIRES")?;
        for token in &tokens {
            writeln!(out, "{}", line(token, reader.now()))?;
        }
        Ok(())
    }
}

fn line(token: &Token, now: Instant) -> String {
    let state = match () {
        () if token.revoked_at.is_some() => "revoked",
        () if !token.is_live(now) => "expired",
        () => "live",
    };
    let expires = token.expires_at.map_or_else(|| "never".to_owned(), seconds);
    let author = token.author.as_ref().map(|author| format!(" (author {})", author.key.first_slug)).unwrap_or_default();
    let created = seconds(token.created_at);
    let name = in_one_line(&token.name);
    format!("{:12}  {:6}  {created:20}  {state:8}  {expires:20}  {name}{author}", token.id.as_str(), token.role.name())
}

/// An instant without fractions of a second.
pub(super) fn seconds(at: Instant) -> String {
    let text = at.to_string();
    text.split_once('.').map_or(text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

impl Revoke {
    async fn run(self, sources: &Sources) -> Result<(), CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let (reader, actor) = (content.reader(), operator());
        if self.id == PREVIEWS {
            Previews::new(&content, &reader).revoke_all(&actor).await?;
            return Ok(writeln!(output(), "Revoked every preview link.")?);
        }
        let token = Tokens::new(&content, &reader, &actor)?.revoke(&node_id(self.id)).await?.map_err(in_words)?;
        Ok(writeln!(output(), "Revoked the token {} ({}).", token.id, in_one_line(&token.name))?)
    }
}

/// The id of a token in GraphQL. `tidings token list` and the text of a token contain it without its prefix.
fn node_id(id: String) -> String {
    id.parse::<TokenId>().map_or(id, |id| NodeId::Token(id).to_string())
}

/// The messages in one line.
pub(super) fn in_words(errors: Vec<UserError>) -> CommandError {
    let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    messages.join("; ").into()
}

/// The lifetime of a token, in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifetime(u32);

#[derive(Debug, thiserror::Error)]
#[error("write a number and m, h, d or w, such as 90d for ninety days")]
pub(super) struct BadLifetime;

impl FromStr for Lifetime {
    type Err = BadLifetime;

    fn from_str(text: &str) -> Result<Self, BadLifetime> {
        let unit = text.chars().next_back().ok_or(BadLifetime)?;
        let minutes = match unit {
            'm' => 1,
            'h' => 60,
            'd' => 24 * 60,
            'w' => 7 * 24 * 60,
            _ => return Err(BadLifetime),
        };
        let number: u32 = text.strip_suffix(unit).and_then(|digits| digits.parse().ok()).ok_or(BadLifetime)?;
        number.checked_mul(minutes).filter(|minutes| *minutes > 0).map(Self).ok_or(BadLifetime)
    }
}

impl Lifetime {
    fn after(self, now: Instant) -> Result<Instant, BadLifetime> {
        now.after_minutes(self.0).ok_or(BadLifetime)
    }

    pub(super) fn before(self, now: Instant) -> Result<Instant, BadLifetime> {
        Instant::from_ticks(now.ticks() - i64::from(self.0) * 60 * TICKS_PER_SECOND).ok_or(BadLifetime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_is_a_number_and_a_unit() {
        let minutes = |text: &str| text.parse::<Lifetime>().ok().map(|time| time.0);
        assert_eq!(["30m", "2h", "90d", "1w"].map(minutes), [Some(30), Some(120), Some(129_600), Some(10_080)]);
        assert_eq!(["", "d", "90", "-1d", "0d", "1.5h", "9999999999d", "4000000000w", "9ü"].map(minutes), [None; 9]);
    }
}
