//! Access tokens, which grant the permissions of a role. The rule: the text is returned once, and the stored row does not reveal it.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::actor::Role;
use super::hex;
use super::instant::{Instant, TICKS_PER_SECOND};
use super::node_id::TermNodeId;

/// The prefix of every token, so that a leaked token is recognized, for example in a log or a repository.
pub const TOKEN_PREFIX: &str = "tdg_";
pub const TOKEN_ID_CHARS: usize = 12;
/// Hexadecimal digits of a secret, which has 192 random bits.
pub const SECRET_CHARS: usize = 48;
pub const TOKEN_NAME_CHARS_MAX: usize = 100;
/// The maximum number of tokens, including revoked and expired ones, so that a list of them is one range read. At the maximum, a new token replaces
/// the oldest one that is revoked or expired.
pub const TOKENS_MAX: usize = 1_000;

/// The number of base-36 digits for the seconds, enough until the year 2483.
const SECOND_CHARS: usize = 7;

/// 12 characters of `[0-9a-z]` that begin with the second of creation, so ids sort by creation. It is not secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TokenId(CompactString);

/// The id of a webhook has the same form.
pub type WebhookId = TokenId;

impl TokenId {
    pub fn new(at: Instant, random: u64) -> Self {
        let seconds = u64::try_from(at.ticks() / TICKS_PER_SECOND).unwrap_or_default();
        let text = base36(seconds, SECOND_CHARS) + &base36(random, TOKEN_ID_CHARS - SECOND_CHARS);
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The last `digits` digits of a number in base 36.
fn base36(number: u64, digits: usize) -> String {
    let mut rest = number;
    let mut reversed = Vec::with_capacity(digits);
    for _ in 0..digits {
        reversed.push(char::from_digit((rest % 36) as u32, 36).expect("a digit below 36"));
        rest /= 36;
    }
    reversed.into_iter().rev().collect()
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a token: 12 characters of 0-9 and a-z")]
pub struct BadTokenId;

impl FromStr for TokenId {
    type Err = BadTokenId;

    fn from_str(text: &str) -> Result<Self, BadTokenId> {
        let fits = text.len() == TOKEN_ID_CHARS && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        if fits { Ok(Self(text.into())) } else { Err(BadTokenId) }
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A token as it is stored, without the hash of its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub name: String,
    pub role: Role,
    /// For the role author: the author whose posts the token gives access to.
    pub author: Option<TermNodeId>,
    pub created_at: Instant,
    /// `None` if it does not expire.
    pub expires_at: Option<Instant>,
    pub revoked_at: Option<Instant>,
}

impl Token {
    /// The version of the token's state: a token changes only once, when it is revoked.
    pub fn version(&self) -> i32 {
        if self.revoked_at.is_some() { 2 } else { 1 }
    }

    pub fn is_live(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| at > now)
    }
}

/// The parsed text of a token: `tdg_{id}_{secret}`.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenText {
    pub id: TokenId,
    secret: String,
}

impl TokenText {
    /// `secret`: random bytes.
    pub fn new(id: TokenId, secret: &[u8; SECRET_CHARS / 2]) -> Self {
        Self { id, secret: hex::digits(secret) }
    }

    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The whole text, for the client that created the token.
    pub fn reveal(&self) -> String {
        format!("{TOKEN_PREFIX}{}_{}", self.id, self.secret)
    }
}

impl FromStr for TokenText {
    type Err = BadTokenId;

    fn from_str(text: &str) -> Result<Self, BadTokenId> {
        let (id, secret) = text.strip_prefix(TOKEN_PREFIX).and_then(|rest| rest.split_once('_')).ok_or(BadTokenId)?;
        let is_secret = hex::bytes::<{ SECRET_CHARS / 2 }>(secret).is_some();
        if is_secret { Ok(Self { id: id.parse()?, secret: secret.to_owned() }) } else { Err(BadTokenId) }
    }
}

/// Omits the secret.
impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TOKEN_PREFIX}{}_…", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_creation() {
        let id = |at: &str, random| TokenId::new(at.parse().expect("an instant"), random);
        let mut ids =
            [id("2026-06-15T12:00:01Z", 0), id("2026-06-15T12:00:00Z", u64::MAX), id("2482-01-01T00:00:00Z", 7)];
        ids.sort();
        assert_eq!(ids[0], id("2026-06-15T12:00:00Z", u64::MAX));
        assert!(ids.iter().all(|id| id.as_str().parse() == Ok(id.clone())));
    }

    #[test]
    fn a_token_text_is_parsed_and_an_invalid_text_is_refused() {
        let text = TokenText::new(TokenId::new(Instant::MIN, 1), &[0xa5; 24]);
        assert_eq!(text.reveal().parse(), Ok(text.clone()));
        assert!(!format!("{text:?}").contains(text.secret()));
        let whole = text.reveal();
        for bad in
            ["", "tdg_", "tdg__", &whole[1..], &whole[..whole.len() - 1], &format!("{whole}0"), &whole.to_uppercase()]
        {
            assert_eq!(bad.parse::<TokenText>(), Err(BadTokenId), "{bad}");
        }
    }
}
