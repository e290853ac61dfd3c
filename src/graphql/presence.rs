//! Who has a post or page open in an editor. The rule: somebody is on the list exactly as long as the subscription `editing` is open; only this process knows it.

use std::sync::Arc;

use tokio::sync::watch;

use crate::model::{Actor, ActorSnapshot, NodeId};

/// The most others that a subscriber is told of.
pub const OTHERS_MAX: usize = 20;

/// All who have something open.
#[derive(Clone, Default)]
pub struct Presence(Arc<watch::Sender<Vec<Arc<Editing>>>>);

struct Editing {
    content: NodeId,
    actor: Actor,
}

/// A subscriber, who leaves when this is dropped.
pub struct Present {
    own: Arc<Editing>,
    presence: Presence,
    all: watch::Receiver<Vec<Arc<Editing>>>,
    told: Vec<ActorSnapshot>,
}

impl Presence {
    pub fn enter(&self, content: NodeId, actor: Actor) -> Present {
        let own = Arc::new(Editing { content, actor });
        self.0.send_modify(|all| all.push(Arc::clone(&own)));
        Present { own, presence: self.clone(), all: self.0.subscribe(), told: Vec::new() }
    }
}

impl Present {
    /// The others who have the same open, each once, even in several windows.
    pub fn others(&mut self) -> Vec<ActorSnapshot> {
        self.told = others(&self.all.borrow_and_update(), &self.own);
        self.told.clone()
    }

    /// Waits until the others are not those of the last call.
    pub async fn changed(&mut self) {
        // It fails only without a sender, and this has one.
        let _ = self.all.wait_for(|all| others(all, &self.own) != self.told).await;
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.presence.0.send_modify(|all| all.retain(|other| !Arc::ptr_eq(other, &self.own)));
    }
}

fn others(all: &[Arc<Editing>], own: &Editing) -> Vec<ActorSnapshot> {
    let mut others: Vec<&Actor> = Vec::new();
    for Editing { actor, .. } in all.iter().map(|other| &**other).filter(|other| other.content == own.content) {
        if actor.id != own.actor.id && others.iter().all(|known| known.id != actor.id) {
            others.push(actor);
        }
    }
    others.into_iter().take(OTHERS_MAX).map(ActorSnapshot::of).collect()
}
