//! The cache of rows of `Tokens`. The rule: it is bounded; this server sees its own changes at once, and those of other servers within the maximum
//! age of a cached row.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Moment};

use crate::content::tables::rows::token::Bytes32;
use crate::model::token::TOKENS_MAX;
use crate::model::{Token, TokenId};

/// A token and the hash of its secret.
pub(super) type CachedToken = Arc<(Token, Bytes32)>;

#[derive(Debug)]
pub(in crate::content) struct TokenCache {
    /// The maximum age of a row; `None` if no other server writes to the store.
    age_max: Option<Duration>,
    state: Mutex<TokenCacheState>,
}

#[derive(Debug, Default)]
struct TokenCacheState {
    /// Incremented by each `invalidate`, so that a row that was read before is not kept.
    generation: u64,
    /// Unknown ids are not kept, because a client could fill the cache with invented ones.
    tokens: HashMap<TokenId, (Moment, CachedToken)>,
    preview_key: Option<(Moment, Bytes32)>,
}

/// The start of a read. Its result is cached only if no invalidation has happened since.
#[derive(Debug, Clone, Copy)]
pub(in crate::content::access) struct Began {
    generation: u64,
    at: Moment,
}

impl TokenCache {
    pub(in crate::content) fn new(age_max: Option<Duration>) -> Self {
        Self { age_max, state: Mutex::default() }
    }

    pub(in crate::content) fn invalidate(&self) {
        let mut state = self.lock();
        *state = TokenCacheState { generation: state.generation + 1, ..TokenCacheState::default() };
    }

    pub(in crate::content::access) fn begin(&self) -> Began {
        Began { generation: self.lock().generation, at: Moment::now() }
    }

    pub(super) fn token(&self, id: &TokenId) -> Option<CachedToken> {
        let state = self.lock();
        let (read_at, kept) = state.tokens.get(id)?;
        self.is_fresh(*read_at).then(|| Arc::clone(kept))
    }

    /// Whether a row with this id was cached recently, whatever its age.
    pub(super) fn knows(&self, id: &TokenId) -> bool {
        self.lock().tokens.contains_key(id)
    }

    pub(super) fn keep_token(&self, began: Began, kept: &CachedToken) {
        let mut state = self.lock();
        if state.generation != began.generation {
            return;
        }
        if state.tokens.len() >= TOKENS_MAX {
            state.tokens.clear();
        }
        state.tokens.insert(kept.0.id.clone(), (began.at, Arc::clone(kept)));
    }

    pub(in crate::content::access) fn preview_key(&self) -> Option<Bytes32> {
        let (read_at, key) = self.lock().preview_key?;
        self.is_fresh(read_at).then_some(key)
    }

    pub(in crate::content::access) fn keep_preview_key(&self, began: Began, key: Bytes32) {
        let mut state = self.lock();
        if state.generation == began.generation {
            state.preview_key = Some((began.at, key));
        }
    }

    fn is_fresh(&self, read_at: Moment) -> bool {
        self.age_max.is_none_or(|max| read_at.elapsed() <= max)
    }

    fn lock(&self) -> MutexGuard<'_, TokenCacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Instant, Role};

    #[test]
    fn the_cache_keeps_at_most_as_many_tokens_as_can_exist() {
        let cache = TokenCache::new(None);
        let now = Instant::from_ticks(0).expect("the first instant");
        for n in 0..3 * TOKENS_MAX as u64 {
            let (id, name) = (TokenId::new(now, n), String::new());
            let token = Token {
                id,
                name,
                role: Role::Reader,
                author: None,
                created_at: now,
                expires_at: None,
                revoked_at: None,
            };
            let kept = Arc::new((token, [0; 32]));
            cache.keep_token(cache.begin(), &kept);
            assert!(cache.token(&kept.0.id).is_some());
            assert!(cache.lock().tokens.len() <= TOKENS_MAX);
        }
    }
}
