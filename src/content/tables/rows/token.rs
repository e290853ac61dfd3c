//! Rows of `Tokens`. The rule: the row holds a hash of a secret, never the secret.

use std::sync::Arc;

use crate::keys::token;
use crate::model::Token;
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

const SECRET_HASH: &str = "SecretHash";
const KEY: &str = "Key";

/// SHA-256 of a secret, or a key of HMAC-SHA256, which has as many bytes.
pub type Bytes32 = [u8; 32];

pub fn row(token: &Token, secret_hash: &Bytes32) -> Properties {
    let mut properties = NewRow::default()
        .text("Name", &token.name)
        .text("Role", token.role.name())
        .optional_text("Author", token.author.as_ref())
        .instant("CreatedAt", token.created_at)
        .optional_instant("ExpiresAt", token.expires_at)
        .optional_instant("RevokedAt", token.revoked_at)
        .build();
    properties.set(SECRET_HASH, Value::Binary(Arc::from(secret_hash.as_slice())));
    properties
}

pub fn read(row: &Entity) -> Result<(Token, Bytes32), StoreError> {
    let fields = RowFields(row);
    let author = fields.optional_text("Author")?.map(|text| text.parse().map_err(|_| fields.damaged("Author")));
    let token = Token {
        id: token::parse(&row.key).ok_or_else(|| fields.damaged("RowKey"))?,
        name: fields.text("Name")?.to_string(),
        role: fields.parsed("Role")?,
        author: author.transpose()?,
        created_at: fields.instant("CreatedAt")?,
        expires_at: fields.optional_instant("ExpiresAt")?,
        revoked_at: fields.optional_instant("RevokedAt")?,
    };
    Ok((token, bytes(&fields, SECRET_HASH)?))
}

pub fn key_row(key: &Bytes32) -> Properties {
    let mut properties = Properties::new();
    properties.set(KEY, Value::Binary(Arc::from(key.as_slice())));
    properties
}

pub fn read_key(row: &Entity) -> Result<Bytes32, StoreError> {
    bytes(&RowFields(row), KEY)
}

fn bytes(fields: &RowFields<'_>, name: &str) -> Result<Bytes32, StoreError> {
    match fields.0.properties.get(name) {
        Some(Value::Binary(bytes)) => bytes.as_ref().try_into().map_err(|_| fields.damaged(name)),
        _ => Err(fields.damaged(name)),
    }
}
