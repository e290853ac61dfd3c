//! Rows of `Tokens`. The rule: the row holds a hash of a secret, never the secret.

use std::sync::Arc;

use crate::keys::token;
use crate::model::{CreationId, TermId, TermKind, TermNodeId, Token};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

const SECRET_HASH: &str = "SecretHash";
const KEY: &str = "Key";
const VERSION: &str = "Version";
const AUTHOR: &str = "Author";
const AUTHOR_CREATION_ID: &str = "AuthorCreationId";

/// SHA-256 of a secret, or a key of HMAC-SHA256, which has as many bytes.
pub type Bytes32 = [u8; 32];

pub fn row(token: &Token, secret_hash: &Bytes32) -> Properties {
    let mut properties = NewRow::default()
        .text("Name", &token.name)
        .text("Role", token.role.name())
        .optional_text(AUTHOR, token.author.as_ref().map(|author| &author.key.first_slug))
        .optional_text(AUTHOR_CREATION_ID, token.author.as_ref().and_then(|author| author.creation.stored()))
        .instant("CreatedAt", token.created_at)
        .optional_instant("ExpiresAt", token.expires_at)
        .optional_instant("RevokedAt", token.revoked_at)
        .build();
    properties.set(SECRET_HASH, Value::Binary(Arc::from(secret_hash.as_slice())));
    properties
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
    Ok((token, bytes(&fields, SECRET_HASH)?))
}

/// The creation id is absent if an earlier version created the author.
fn read_author(fields: &RowFields<'_>) -> Result<Option<TermNodeId>, StoreError> {
    let Some(text) = fields.optional_text(AUTHOR)? else { return Ok(None) };
    let key = TermId { kind: TermKind::Author, first_slug: text.parse().map_err(|_| fields.damaged(AUTHOR))? };
    let creation = fields.optional_text(AUTHOR_CREATION_ID)?.map(|text| text.as_str());
    let creation = CreationId::of_stored(creation).map_err(|_| fields.damaged(AUTHOR_CREATION_ID))?;
    Ok(Some(TermNodeId { key, creation }))
}

/// `version`: 1 for the first key of preview links, incremented by each replacement.
pub fn key_row(key: &Bytes32, version: i32) -> Properties {
    let mut properties = NewRow::default().int32(VERSION, version).build();
    properties.set(KEY, Value::Binary(Arc::from(key.as_slice())));
    properties
}

pub fn read_key(row: &Entity) -> Result<Bytes32, StoreError> {
    bytes(&RowFields(row), KEY)
}

/// A row of an earlier version of Tidings has no version of the key.
pub fn read_key_version(row: &Entity) -> Result<i32, StoreError> {
    match row.properties.get(VERSION) {
        None => Ok(1),
        Some(_) => RowFields(row).int32(VERSION),
    }
}

fn bytes(fields: &RowFields<'_>, name: &str) -> Result<Bytes32, StoreError> {
    match fields.0.properties.get(name) {
        Some(Value::Binary(bytes)) => bytes.as_ref().try_into().map_err(|_| fields.damaged(name)),
        _ => Err(fields.damaged(name)),
    }
}
