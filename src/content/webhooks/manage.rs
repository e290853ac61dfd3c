//! Creates, changes, tests and deletes webhooks for admins. The rule: a secret is returned only when it is created; addresses are not logged, because the
//! address of a build hook is a secret, too.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::content::access::permission;
use crate::content::commands::{Edited, UserError};
use crate::content::error::Result;
use crate::content::read::Action;
use crate::content::read::pages::FILTER_SLUGS_MAX;
use crate::content::write::{KEPT_DAYS, days_before};
use crate::content::{Content, Reader, Writer, audit, random};
use crate::model::{Actor, ActorSnapshot, Instant, Language, NodeId, Role, Slug, TermKind, WebhookId};

use super::webhook::DIGEST_SECONDS;
use super::{Rows, WEBHOOKS_MAX, Webhook, WebhookFilter, WebhookSecret, WebhookStatus, read_webhook, recorded, row_of};

/// The age of changes that can be sent again: a day less than their retention, so that they are not deleted before they are sent.
const REPLAYED_DAYS: i64 = KEPT_DAYS - 1;
const URL_CHARS_MAX: usize = 2_000;

/// The type of [`WebhookFilter::first_slugs`].
type FirstSlugs = BTreeMap<String, String>;

/// The settings of a new or changed webhook. `None` keeps the value or uses the default.
#[derive(Debug, Clone, Default)]
pub struct NewWebhook {
    pub url: Option<String>,
    pub enabled: Option<bool>,
    /// 0 sends a request for each change.
    pub digest_seconds: Option<i32>,
    pub kinds: Option<Vec<String>>,
    pub actions: Option<Vec<Action>>,
    pub tags: Option<Vec<String>>,
    pub categories: Option<Vec<String>>,
    pub authors: Option<Vec<String>>,
    pub languages: Option<Vec<String>>,
}

/// The webhooks of a site, for an actor with the role admin.
pub struct Webhooks<'a> {
    content: &'a Content,
    reader: &'a Reader,
    actor: &'a Actor,
}

impl<'a> Webhooks<'a> {
    /// # Errors
    /// [`ContentError::Forbidden`](crate::content::ContentError::Forbidden) for any role but admin.
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Admin, "this reads or changes webhooks")?;
        Ok(Self { content, reader, actor })
    }

    /// All webhooks, the oldest first. One range read.
    pub async fn list(&self) -> Result<Vec<Webhook>> {
        Ok(Rows::read(self.reader.store()).await?.webhooks)
    }

    pub async fn get(&self, id: &WebhookId) -> Result<Option<Webhook>> {
        Ok(read_webhook(self.reader.store(), id).await?.map(|(webhook, _)| webhook))
    }

    /// Creates a webhook that receives changes from now on. Its secret cannot be retrieved later.
    pub async fn create(&self, new: NewWebhook) -> Result<Edited<Webhook>> {
        let now = self.reader.now();
        let mut webhook = Webhook {
            id: WebhookId::new(now, random::bits()?),
            url: String::new(),
            created_at: now,
            digest_seconds: None,
            filter: WebhookFilter::default(),
            status: WebhookStatus::Active,
            secret: WebhookSecret::new(random::bytes()?),
            former_secret: None,
            position: self.content.changes(self.reader, None, None).await?.position,
            due_at: None,
            failing: None,
            is_tested: false,
            deliveries: Vec::new(),
        };
        let new = NewWebhook { url: Some(new.url.unwrap_or_default()), ..new };
        let (mut errors, first_slugs) = self.checked(&new).await?;
        if self.content.webhook_rows().await?.webhooks.len() >= WEBHOOKS_MAX {
            errors.push(too_many());
        }
        if !errors.is_empty() {
            return Ok(Err(errors));
        }
        new.apply(&mut webhook, &first_slugs, now);
        let writer = self.writer()?;
        writer.change_recorded(recorded(&webhook.id, Some(row_of(&webhook)?), None, Action::Created)).await?;
        // Other webhooks may have been created since the count.
        if self.content.webhook_rows().await?.webhooks.len() > WEBHOOKS_MAX {
            self.content.delete_webhook(&writer, &webhook.id).await?;
            return Ok(Err(vec![too_many()]));
        }
        audit::log_webhook(self.actor, "create_webhook", &webhook.id);
        Ok(Ok(webhook))
    }

    pub async fn update(&self, id: &str, changes: NewWebhook) -> Result<Edited<Webhook>> {
        let (errors, first_slugs) = self.checked(&changes).await?;
        if !errors.is_empty() {
            return Ok(Err(errors));
        }
        let now = self.reader.now();
        self.change(id, "update_webhook", |webhook| changes.clone().apply(webhook, &first_slugs, now)).await
    }

    pub async fn delete(&self, id: &str) -> Result<Edited<NodeId>> {
        let Ok(NodeId::Webhook(id)) = id.parse() else { return Ok(Err(missing())) };
        if self.content.delete_webhook(&self.writer()?, &id).await?.is_none() {
            return Ok(Err(missing()));
        }
        audit::log_webhook(self.actor, "delete_webhook", &id);
        Ok(Ok(NodeId::Webhook(id)))
    }

    /// Replaces the secret. The previous one also signs for a day.
    pub async fn rotate(&self, id: &str) -> Result<Edited<Webhook>> {
        let (secret, now) = (WebhookSecret::new(random::bytes()?), self.reader.now());
        self.change(id, "rotate_webhook_secret", |webhook| webhook.rotate(secret.clone(), now)).await
    }

    /// Requests a test message from the server that sends. The audit log has neither this nor a replay, because the settings stay as they are.
    pub async fn test(&self, id: &str) -> Result<Edited<Webhook>> {
        self.change_by(None, id, "test_webhook", |webhook| webhook.is_tested = true).await
    }

    /// Requests that changes since an instant are sent again.
    pub async fn replay(&self, id: &str, since: Instant) -> Result<Edited<Webhook>> {
        let now = self.reader.now();
        if since > now || since < days_before(now, REPLAYED_DAYS) {
            let message = format!("the changes of the last {REPLAYED_DAYS} days can be sent again");
            return Ok(Err(vec![UserError::invalid("since", message)]));
        }
        let position = self.content.position_since(self.reader, since).await?;
        self.change_by(None, id, "replay_webhook", |webhook| webhook.go_on_from(position.clone(), now)).await
    }

    fn writer(&self) -> Result<Writer> {
        Ok(self.content.writer()?.by(ActorSnapshot::of(self.actor)))
    }

    /// A change of the settings or of the secret.
    async fn change(&self, id: &str, action: &'static str, change: impl Fn(&mut Webhook)) -> Result<Edited<Webhook>> {
        self.change_by(Some(&self.writer()?), id, action, change).await
    }

    async fn change_by(
        &self,
        writer: Option<&Writer>,
        id: &str,
        action: &'static str,
        change: impl Fn(&mut Webhook),
    ) -> Result<Edited<Webhook>> {
        let Ok(NodeId::Webhook(id)) = id.parse() else { return Ok(Err(missing())) };
        let Some(changed) = self.content.change_webhook(&id, writer, change).await? else { return Ok(Err(missing())) };
        audit::log_webhook(self.actor, action, &changed.id);
        Ok(Ok(changed))
    }

    /// The validation errors, and the first slugs of the named terms.
    async fn checked(&self, new: &NewWebhook) -> Result<(Vec<UserError>, FirstSlugs)> {
        let (mut errors, mut first_slugs) = (Vec::new(), FirstSlugs::new());
        if let Some(Err(message)) = new.url.as_deref().map(|url| self.check_url(url)) {
            errors.push(UserError::invalid("url", message));
        }
        let is_digest = |seconds: i32| u32::try_from(seconds).is_ok_and(|seconds| DIGEST_SECONDS.contains(&seconds));
        if new.digest_seconds.is_some_and(|seconds| seconds != 0 && !is_digest(seconds)) {
            let (least, most) = (DIGEST_SECONDS.start(), DIGEST_SECONDS.end());
            let message = format!("a digest is sent every {least} to {most} seconds; 0 sends each change by itself");
            errors.push(UserError::invalid("digestSeconds", message));
        }
        if new.actions.iter().flatten().any(|action| *action == Action::Revoked) {
            let message = "only tokens and preview links are REVOKED, and no webhook gets their changes";
            errors.push(UserError::invalid("actions", message));
        }
        let named = [&new.tags, &new.categories, &new.authors, &new.languages];
        if named.into_iter().flatten().map(Vec::len).sum::<usize>() > FILTER_SLUGS_MAX {
            let message = format!("a webhook names at most {FILTER_SLUGS_MAX} slugs and languages");
            errors.push(UserError::too_large("tagSlugs", message));
            return Ok((errors, first_slugs));
        }
        for text in new.languages.iter().flatten().filter(|text| text.parse::<Language>().is_err()) {
            errors.push(UserError::invalid(
                "languages",
                format!("{text:?} is no tag of a language, such as en or pt-BR"),
            ));
        }
        for (kind, named) in
            [(TermKind::Tag, &new.tags), (TermKind::Category, &new.categories), (TermKind::Author, &new.authors)]
        {
            for text in named.iter().flatten() {
                match self.first_slug(kind, text).await? {
                    Ok(first) => drop(first_slugs.insert(WebhookFilter::named(kind, text), first)),
                    Err(error) => errors.push(error),
                }
            }
        }
        Ok((errors, first_slugs))
    }

    /// The first slug of the term with this slug, or an error if there is none.
    async fn first_slug(&self, kind: TermKind, text: &str) -> Result<std::result::Result<String, UserError>> {
        let message = format!("there is no {} with the slug {text:?}", kind.noun());
        let Some(slug) = Slug::from_address(text) else {
            return Ok(Err(UserError::not_found(kind.slugs_field(), message)));
        };
        if let Some(term) = self.reader.term(kind, &slug).await? {
            return Ok(Ok(term.id.first_slug.to_string()));
        }
        let similar = self.reader.similar_slugs(kind, &slug).await?;
        Ok(Err(UserError::no_slug(kind.slugs_field(), &slug, &message, similar)))
    }

    fn check_url(&self, text: &str) -> std::result::Result<(), String> {
        let url: Url = text.parse().map_err(|error| format!("this is no address: {error}"))?;
        // This also finds an empty user, which the parsed address does not show.
        let authority = text.split(['/', '\\', '?', '#']).filter(|part| !part.is_empty()).nth(1);
        let is_http = matches!(url.scheme(), "http" | "https");
        let has_user = !url.username().is_empty() || authority.is_some_and(|text| text.contains('@'));
        let has_more = has_user || url.password().is_some() || url.fragment().is_some();
        if !is_http || has_more || url.as_str().len() > URL_CHARS_MAX {
            return Err(format!(
                "write an https address of at most {URL_CHARS_MAX} characters, without a user and a fragment"
            ));
        }
        self.content.allowed_hosts.check(&url).map_err(|refused| refused.to_string())
    }
}

fn too_many() -> UserError {
    UserError::too_large("url", format!("a site has at most {WEBHOOKS_MAX} webhooks"))
}

fn missing() -> Vec<UserError> {
    vec![UserError::not_found("id", "there is no webhook with this id")]
}

impl NewWebhook {
    fn apply(self, webhook: &mut Webhook, first_slugs: &FirstSlugs, now: Instant) {
        let before = webhook.clone();
        let filter = &mut webhook.filter;
        let as_sent = |text: String| text.parse().map_or_else(|_| text.clone(), |url: Url| url.to_string());
        set(&mut webhook.url, self.url.map(as_sent));
        set(&mut filter.kinds, self.kinds);
        set(&mut filter.actions, self.actions);
        set(&mut filter.tags, self.tags);
        set(&mut filter.categories, self.categories);
        set(&mut filter.authors, self.authors);
        filter.first_slugs.extend(first_slugs.clone());
        let named: BTreeSet<String> = filter
            .terms()
            .iter()
            .flat_map(|(kind, slugs)| slugs.iter().map(|slug| WebhookFilter::named(*kind, slug)))
            .collect();
        filter.first_slugs.retain(|name, _| named.contains(name));
        let usual =
            |text: &String| text.parse::<Language>().map_or_else(|_| text.clone(), |language| language.to_string());
        set(&mut filter.languages, self.languages.map(|texts| texts.iter().map(usual).collect()));
        if let Some(seconds) = self.digest_seconds {
            webhook.digest_seconds = u32::try_from(seconds).ok().filter(|seconds| *seconds > 0);
        }
        if let Some(enabled) = self.enabled {
            webhook.status = if enabled { WebhookStatus::Active } else { WebhookStatus::Disabled };
        }
        let is_enabled = webhook.is_active() && !before.is_active();
        // A failed message is retried at once, because the change may fix the failure; otherwise, a digest waits for its time.
        if before.failing.is_some()
            || before.due_at.is_none()
            || is_enabled
            || webhook.digest_seconds != before.digest_seconds
        {
            webhook.due_at = Some(now);
        }
        if is_enabled || webhook.url != before.url || webhook.filter != before.filter {
            webhook.failing = None;
        }
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
