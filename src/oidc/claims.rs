//! The claims of a JWT about its subject. The rule: pure; a claim of the wrong type counts as absent, except `nbf`, which is refused.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::Role;

/// "OpenID Connect Core 1.0", section 2: a subject has at most 255 characters.
const SUBJECT_CHARS_MAX: usize = 255;

#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct Claims(Map<String, Value>);

impl Claims {
    /// A claim by its name. If no claim has that name, the dots in it select nested objects (`realm_access.roles`).
    fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name).or_else(|| {
            let (first, rest) = name.split_once('.')?;
            rest.split('.').try_fold(self.0.get(first)?, |value, part| value.get(part))
        })
    }

    pub(super) fn text(&self, name: &str) -> Option<&String> {
        match self.find(name)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Seconds since 1970; a fraction is cut off (RFC 7519, section 2, "NumericDate").
    fn seconds(&self, name: &str) -> Option<i64> {
        let value = self.0.get(name)?;
        value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
    }

    pub(super) fn expires_at(&self) -> Option<i64> {
        self.seconds("exp")
    }

    pub(super) fn issued_at(&self) -> Option<i64> {
        self.seconds("iat")
    }

    /// `None` if the claim is absent. A malformed one is an error.
    pub(super) fn not_before(&self) -> Result<Option<i64>, &'static str> {
        match (self.0.get("nbf"), self.seconds("nbf")) {
            (None, _) => Ok(None),
            (Some(_), Some(seconds)) => Ok(Some(seconds)),
            (Some(_), None) => Err("its claim nbf"),
        }
    }

    /// Whether the audience contains this client.
    pub(super) fn is_for(&self, client: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::Array(all)) => all.iter().any(|one| one == client),
            one => one.is_some_and(|one| one == client),
        }
    }

    pub(super) fn subject(&self) -> Option<&String> {
        let is_line = |text: &&String| {
            !text.is_empty() && text.chars().count() <= SUBJECT_CHARS_MAX && !text.contains(char::is_control)
        };
        self.text("sub").filter(is_line)
    }

    /// The highest of the known roles that the claim names.
    pub(super) fn highest_role(&self, claim: &str) -> Option<Role> {
        match self.find(claim)? {
            Value::String(text) => text.parse().ok(),
            Value::Array(texts) => texts.iter().filter_map(|text| text.as_str()?.parse().ok()).max(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(value: Value) -> Claims {
        serde_json::from_value(value).expect("claims")
    }

    #[test]
    fn the_highest_known_role_counts() {
        let role = |value| claims(json!({ "roles": value })).highest_role("roles");
        assert_eq!(role(json!("editor")), Some(Role::Editor));
        assert_eq!(role(json!(["reader", "owner", "editor", "author"])), Some(Role::Editor));
        assert_eq!(
            [json!("owner"), json!("Admin"), json!([]), json!(7), json!([["admin"]]), json!({})].map(role),
            [None; 6]
        );
    }

    #[test]
    fn a_claim_is_found_by_its_name_or_by_its_path() {
        let found = claims(json!({
            "realm_access": { "roles": ["author"] }, "https://example.com/roles": "admin", "a.b": "reader", "a": { "b": "admin" },
        }));
        assert_eq!(found.highest_role("realm_access.roles"), Some(Role::Author));
        assert_eq!(found.highest_role("https://example.com/roles"), Some(Role::Admin));
        assert_eq!(found.highest_role("a.b"), Some(Role::Reader));
        assert_eq!(found.highest_role("a.b.c"), None);
    }

    #[test]
    fn malformed_times_are_not_accepted() {
        assert_eq!(claims(json!({ "exp": 12.9 })).expires_at(), Some(12));
        assert_eq!(claims(json!({ "exp": "12" })).expires_at(), None);
        assert_eq!(claims(json!({})).not_before(), Ok(None));
        assert!(claims(json!({ "nbf": null })).not_before().is_err());
    }
}
