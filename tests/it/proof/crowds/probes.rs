//! Changes made after the editors have stopped, which nothing may prevent. The rule: a slug that no post has can be taken, a term that no post has
//! can be deleted, and every post can be changed.

use crate::support::graphql::EDITOR_TOKEN;

use super::audit::{Audit, Found};
use super::change::{Change, Fields, Named};
use super::client::Outcome;
use super::content::{Shown, index, term_id};
use super::violations::Kind;

/// The name under which changes by the token of the settings are recorded.
const OPERATOR: &str = "TIDINGS_EDITOR_TOKEN";

impl Audit<'_> {
    pub(super) async fn probe(&self, found: &Found) {
        for shown in found.posts() {
            let fields = Fields { title: Some(format!("Probed {}", shown.content.title)), ..Fields::default() };
            self.expect_made(Change::UpdatePost { base: shown.clone(), fields }, &shown.id).await;
        }
        for slug in self.workload.post_slugs() {
            let query = format!("{{ post(slug: {slug:?}) {{ id }} }}");
            if self.ask(&query, serde_json::Value::Null).await["post"].is_null() {
                self.take_slug(slug).await;
            }
        }
        for (kind, terms) in &found.terms {
            for (id, slug) in terms {
                let is_in_use = found.posts().any(|shown| shown.content.terms[index(*kind)].contains(id));
                let delete = Change::DeleteTerm { kind: *kind, slug: slug.clone() };
                if is_in_use {
                    let outcome = self.change(delete.clone()).await;
                    if !matches!(&outcome, Outcome::Refused { code, .. } if code == "IN_USE") {
                        self.violate(
                            Kind::Probe,
                            format!("{delete}, which a post has: {outcome}"),
                            std::slice::from_ref(id),
                        );
                    }
                } else {
                    self.expect_made(delete, id).await;
                }
            }
            for slug in self.workload.term_slugs(*kind, 0) {
                let query = format!("{{ term: {}(slug: {slug:?}) {{ id }} }}", kind.noun());
                if self.ask(&query, serde_json::Value::Null).await["term"].is_null() {
                    let id = term_id(*kind, &slug);
                    let save =
                        Change::SaveTerm { kind: *kind, slug: slug.clone(), new_slug: None, name: "Probed".to_owned() };
                    self.expect_made(save, &id).await;
                    self.expect_made(Change::DeleteTerm { kind: *kind, slug }, &id).await;
                }
            }
        }
    }

    async fn take_slug(&self, slug: String) {
        let create = Change::CreatePost {
            slug: slug.clone(),
            title: "Probe".to_owned(),
            publish_at: None,
            terms: Named { are_fixed: true, ..Named::default() },
        };
        if let Some(base) = self.expect_made(create, &slug).await {
            let id = base.id.clone();
            self.expect_made(Change::DeletePost { base }, &id).await;
        }
    }

    async fn change(&self, change: Change) -> Outcome {
        self.scene.mutate(OPERATOR, EDITOR_TOKEN, self.server, change).await
    }

    /// Makes a change that must succeed. Returns the post after it, if it is of a post.
    async fn expect_made(&self, change: Change, subject: &str) -> Option<Shown> {
        match self.change(change.clone()).await {
            Outcome::Made { post, .. } => post.map(|post| *post),
            outcome => {
                self.violate(Kind::Probe, format!("{change}, once all is quiet: {outcome}"), &[subject.to_owned()]);
                None
            }
        }
    }
}
