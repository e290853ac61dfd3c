//! The sign-in methods other than the tokens of the store: the editor token and an OpenID provider. The rule: a setting that would have no
//! effect is an error.

use std::sync::Arc;

use crate::graphql::access::{EditorToken, SignIn};
use crate::oidc::{KeySource, OidcClient, OidcSettings, Provider};

use super::sources::Settings;
use super::{ConfigError, Setting, table};

/// # Errors
/// If the editor token is too short to be safe, or a setting of the identity provider is missing or has no effect.
pub(super) fn sign_in(settings: &Settings<'_>) -> Result<SignIn, ConfigError> {
    let token = settings.secret(&table::EDITOR_TOKEN, &table::EDITOR_TOKEN_FILE)?;
    let named = settings.deciding(&table::EDITOR_TOKEN, &table::EDITOR_TOKEN_FILE);
    let editor_token = EditorToken::new(token).map_err(|error| settings.error_of(named, error))?;
    Ok(SignIn { editor_token, oidc: oidc(settings)?.map(|settings| Arc::new(Provider::new(settings))) })
}

/// `None` if no issuer is set.
fn oidc(settings: &Settings<'_>) -> Result<Option<OidcSettings>, ConfigError> {
    let Some(issuer) = settings.text(&table::OIDC_ISSUER) else { return without_issuer(settings) };
    let audience = settings.text(&table::OIDC_AUDIENCE).ok_or_else(|| {
        let needs = needs(settings, &table::OIDC_ISSUER, &table::OIDC_AUDIENCE);
        ConfigError::new(format!("{needs}: the claim `aud` of the tokens that are for this server"))
    })?;
    let keys = match settings.parse(&table::OIDC_KEYS)? {
        Some(keys) => keys,
        None => KeySource::discovery(&issuer).map_err(|error| settings.error_of(&table::OIDC_ISSUER, error))?,
    };
    if let KeySource::File(path) = &keys {
        let unread =
            |error| settings.error_of(&table::OIDC_KEYS, format!("{} cannot be read: {error}", path.display()));
        std::fs::metadata(path).map_err(unread)?;
    }
    let role_claim = settings.need(&table::OIDC_ROLE_CLAIM)?;
    let author_claim = settings.need(&table::OIDC_AUTHOR_CLAIM)?;
    let client = client(settings, &issuer)?;
    Ok(Some(OidcSettings { issuer, audience, keys, role_claim, author_claim, client }))
}

/// `None` if people sign in with tokens only.
fn client(settings: &Settings<'_>, issuer: &str) -> Result<Option<OidcClient>, ConfigError> {
    let Some(id) = settings.text(&table::OIDC_CLIENT_ID) else {
        let others = [&table::OIDC_CLIENT_SECRET, &table::OIDC_CLIENT_SECRET_FILE, &table::OIDC_SCOPE];
        return match others.into_iter().find(|setting| settings.is_set(setting)) {
            Some(setting) => {
                Err(ConfigError::new(format!("{} as well", needs(settings, setting, &table::OIDC_CLIENT_ID))))
            }
            None => Ok(None),
        };
    };
    // The discovery document has the sign-in addresses.
    KeySource::discovery(issuer).map_err(|error| settings.error_of(&table::OIDC_ISSUER, error))?;
    let secret = settings.secret(&table::OIDC_CLIENT_SECRET, &table::OIDC_CLIENT_SECRET_FILE)?;
    if secret.as_ref().is_some_and(String::is_empty) {
        let named = settings.deciding(&table::OIDC_CLIENT_SECRET, &table::OIDC_CLIENT_SECRET_FILE);
        return Err(settings.error_of(named, "it is empty; leave it out if the provider knows a public client"));
    }
    let scope: String = settings.need(&table::OIDC_SCOPE)?;
    if !scope.split(' ').any(|one| one == "openid") {
        return Err(settings.error_of(&table::OIDC_SCOPE, "it must contain openid"));
    }
    Ok(Some(OidcClient { id, secret, scope }))
}

fn without_issuer(settings: &Settings<'_>) -> Result<Option<OidcSettings>, ConfigError> {
    let others = [
        &table::OIDC_AUDIENCE,
        &table::OIDC_KEYS,
        &table::OIDC_ROLE_CLAIM,
        &table::OIDC_AUTHOR_CLAIM,
        &table::OIDC_CLIENT_ID,
        &table::OIDC_CLIENT_SECRET,
        &table::OIDC_CLIENT_SECRET_FILE,
        &table::OIDC_SCOPE,
    ];
    match others.into_iter().find(|setting| settings.is_set(setting)) {
        Some(setting) => Err(ConfigError::new(format!("{} as well", needs(settings, setting, &table::OIDC_ISSUER)))),
        None => Ok(None),
    }
}

/// Names the second setting in the form in which the first was set: both as variables or both as keys.
fn needs(settings: &Settings<'_>, one: &'static Setting, other: &'static Setting) -> String {
    let named = settings.name_of(one);
    let other = if named == one.variable() { other.variable() } else { other.key.to_owned() };
    format!("{named} needs {other}")
}
