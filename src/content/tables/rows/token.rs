//! Rows of `Tokens`. The rule: only a hash of a secret is stored.

use crate::keys::token;
use crate::model::{TermId, TermKind, TermNodeId, Token};
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

const SECRET_HASH: &str = "SecretHash";
const KEY: &str = "Key";
const VERSION: &str = "Version";
const AUTHOR: &str = "Author";
const AUTHOR_CREATION_ID: &str = "AuthorCreationId";

/// SHA-256 of a secret, or a key of HMAC-SHA256, which has the same length.
pub type Bytes32 = [u8; 32];

pub fn row(token: &Token, secret_hash: &Bytes32) -> Properties {
    NewRow::default()
        .text("Name", &token.name)
        .text("Role", token.role.name())
        .optional_text(AUTHOR, token.author.as_ref().map(|author| &author.key.first_slug))
        .optional_text(AUTHOR_CREATION_ID, token.author.as_ref().map(|author| author.creation.as_str()))
        .instant("CreatedAt", token.created_at)
        .optional_instant("ExpiresAt", token.expires_at)
        .optional_instant("RevokedAt", token.revoked_at)
        .bytes32(SECRET_HASH, secret_hash)
        .build()
}

pub fn read(row: &Entity) -> Result<(Token, Bytes32), StoreError> {
    let fields = RowFields(row);
    let token = Token {
        id: token::parse(&row.key).ok_or_else(|| fields.damaged("RowKey"))?,
        name: fields.text("Name")?.to_string(),
        role: fields.parsed("Role")?,
        author: read_author(&fields)?,
        created_at: fields.instant("CreatedAt")?,
        expires_at: fields.optional_instant("ExpiresAt")?,
        revoked_at: fields.optional_instant("RevokedAt")?,
    };
    Ok((token, fields.bytes32(SECRET_HASH)?))
}

fn read_author(fields: &RowFields<'_>) -> Result<Option<TermNodeId>, StoreError> {
    let Some(first_slug) = fields.optional_parsed(AUTHOR)? else { return Ok(None) };
    let key = TermId { kind: TermKind::Author, first_slug };
    Ok(Some(TermNodeId { key, creation: fields.parsed(AUTHOR_CREATION_ID)? }))
}

/// `version`: 1 for the first key of preview links; each replacement increments it.
pub fn key_row(key: &Bytes32, version: i32) -> Properties {
    NewRow::default().int32(VERSION, version).bytes32(KEY, key).build()
}

pub fn read_key(row: &Entity) -> Result<Bytes32, StoreError> {
    RowFields(row).bytes32(KEY)
}

pub fn read_key_version(row: &Entity) -> Result<i32, StoreError> {
    RowFields(row).int32(VERSION)
}
