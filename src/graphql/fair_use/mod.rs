//! Fair use: limits the storage requests a second of each token, each client address, and all anonymous requests together. The rule: an operation reserves the
//! bound of its cost before it runs, up to the capacity of the bucket, and however it ends, the part that is not charged is given back at once.
//!
//! A client that is allowed to know the cost is charged the requests that the operation has made. Other clients are charged the bound, up to the capacity: from
//! the spent requests, and so from the remaining ones, they could conclude that a draft exists (I4b).
//!
//! The limits apply to each process separately.

mod bucket;
mod buckets;
mod refusal;

use std::any::TypeId;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use async_graphql::{Enum, Request, Response};

use crate::clock::Clock;
use crate::content::Reader;
use crate::graphql::error::is_request_error;
use crate::model::Actor;
use crate::telemetry::metrics;

use buckets::{BucketKey, Buckets, Taken};

pub use bucket::{BadRate, FILL_SECONDS_MAX, RATE_MAX, Rate};
pub use buckets::CLIENTS_MAX;
pub use refusal::{LimitState, RateLimited, is_limit_header};

/// The address of the client according to the transport; for IPv6, its /64 network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    pub fn of(request: &Request) -> Option<IpAddr> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref::<Self>().map(|address| address.0)
    }
}

/// Storage requests of the server's own query that its client is not charged for.
pub struct Uncharged(pub u64);

impl Uncharged {
    pub fn of(request: &Request) -> u64 {
        request.data.get(&TypeId::of::<Self>()).and_then(|data| data.downcast_ref::<Self>()).map_or(0, |own| own.0)
    }
}

/// Whose requests a limit counts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum RateLimitScope {
    /// The requests with one token, or of one user of the OpenID provider.
    Token,
    /// The requests without a token from one client address, or from one IPv6 network of 64 bits.
    Address,
    /// All requests without a token.
    Anonymous,
}

impl RateLimitScope {
    /// The name in headers and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Address => "address",
            Self::Anonymous => "anonymous",
        }
    }
}

/// The limits; `None` if there is no such limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FairUseSettings {
    /// The limit for each token.
    pub token: Option<Rate>,
    /// The limit for each address of an anonymous client.
    pub address: Option<Rate>,
    /// The limit for all anonymous requests together.
    pub anonymous: Option<Rate>,
}

#[derive(Debug)]
pub struct FairUse {
    token: Option<Arc<Buckets>>,
    address: Option<Arc<Buckets>>,
    anonymous: Option<Arc<Buckets>>,
    /// The buckets for look-ups of refused tokens, by address. They are separate, so that a valid token works even if many anonymous clients share its address.
    refused_tokens: Option<Arc<Buckets>>,
    hasher: RandomState,
}

/// The buckets of one client, its own first. At least one.
#[derive(Debug, Clone)]
pub struct LimitedClient(Vec<ClientBucket>);

#[derive(Debug, Clone)]
struct ClientBucket {
    buckets: Arc<Buckets>,
    key: BucketKey,
    scope: RateLimitScope,
    /// Whether the bucket is for look-ups of tokens.
    is_for_tokens: bool,
}

/// How the client of an operation is charged.
pub enum Charging {
    /// The requests that the reader has counted when the operation ends in any way, less those that were already charged.
    Spent { reader: Reader, before: u64 },
    /// This many requests, up to the capacity of the bucket.
    Requests(u64),
}

/// The reservation of an operation. Dropping it ends the operation and gives back the part that is not charged.
#[must_use]
pub struct Reservation {
    taken: Vec<(ClientBucket, Taken)>,
    charging: Charging,
}

impl FairUse {
    /// `None` if there is no limit.
    pub fn of(settings: FairUseSettings, clock: &Clock) -> Option<Self> {
        let FairUseSettings { token, address, anonymous } = settings;
        let buckets = |rate: Option<Rate>| rate.map(|rate| Arc::new(Buckets::new(rate, clock.clone())));
        let is_on = token.is_some() || address.is_some() || anonymous.is_some();
        is_on.then(|| Self {
            token: buckets(token),
            address: buckets(address),
            anonymous: buckets(anonymous),
            refused_tokens: buckets(address),
            hasher: RandomState::new(),
        })
    }

    /// The buckets of this client; `None` if no limit applies to it. A request with a token uses only the bucket of the token, wherever it
    /// comes from. A preview link identifies nobody, so its client is anonymous.
    pub fn client(&self, actor: Option<&Actor>, address: Option<IpAddr>) -> Option<LimitedClient> {
        let of_token = |actor: &Actor| self.bucket(&self.token, RateLimitScope::Token, self.key_of_token(actor));
        let of_address = |address| self.bucket(&self.address, RateLimitScope::Address, self.key_of_address(address));
        let of_all = || self.bucket(&self.anonymous, RateLimitScope::Anonymous, BucketKey { own: 0, shared: 0 });
        let found: Vec<_> = match actor {
            Some(actor) => of_token(actor).into_iter().collect(),
            None => address.and_then(of_address).into_iter().chain(of_all()).collect(),
        };
        (!found.is_empty()).then_some(LimitedClient(found))
    }

    /// The bucket for a request with a token until the token has been verified.
    pub fn signing_in(&self, address: Option<IpAddr>) -> Option<LimitedClient> {
        let key = self.key_of_address(address?);
        let found = self.bucket(&self.refused_tokens, RateLimitScope::Address, key)?;
        Some(LimitedClient(vec![ClientBucket { is_for_tokens: true, ..found }]))
    }

    fn bucket(&self, buckets: &Option<Arc<Buckets>>, scope: RateLimitScope, key: BucketKey) -> Option<ClientBucket> {
        let buckets = Arc::clone(buckets.as_ref()?);
        Some(ClientBucket { buckets, key, scope, is_for_tokens: false })
    }

    fn key_of_token(&self, actor: &Actor) -> BucketKey {
        let own = self.hash(&actor.id);
        BucketKey { own, shared: own }
    }

    fn key_of_address(&self, address: IpAddr) -> BucketKey {
        BucketKey { own: self.hash(&address), shared: self.hash(&network_of(address)) }
    }

    fn hash(&self, named: &impl Hash) -> u64 {
        self.hasher.hash_one(named)
    }
}

/// The network whose clients share a bucket if there are too many clients: about the addresses of one provider or owner.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 16 << 16).into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 96 << 96).into(),
    }
}

impl LimitedClient {
    /// Reserves the cost of an operation in each of the buckets.
    ///
    /// # Errors
    /// If too little is left in one of them. Then nothing is reserved.
    pub fn take(&self, cost: u64, charging: Charging) -> Result<Reservation, RateLimited> {
        let mut taken = Vec::with_capacity(self.0.len());
        for bucket in &self.0 {
            match bucket.buckets.take(bucket.key, cost) {
                Ok(of_bucket) => taken.push((bucket.clone(), of_bucket)),
                Err(wait) => {
                    drop(Reservation { taken, charging: Charging::Requests(0) });
                    let what = if bucket.is_for_tokens { "refused_token" } else { bucket.scope.name() };
                    metrics::rate_limited(what);
                    return Err(RateLimited::new(bucket.state(), cost, wait, bucket.is_for_tokens));
                }
            }
        }
        Ok(Reservation { taken, charging })
    }

    /// Charges requests that were not reserved. The bucket that all anonymous clients share is not charged, because it must not get into
    /// debt.
    pub fn charge(&self, requests: u64) {
        let own = self.0.iter().filter(|bucket| bucket.scope != RateLimitScope::Anonymous);
        for bucket in own.filter(|_| requests > 0) {
            bucket.buckets.charge(bucket.key, requests);
        }
    }

    /// The state of the client's own bucket, or of the shared one if it has no own.
    pub fn state(&self) -> LimitState {
        self.0[0].state()
    }
}

impl Reservation {
    /// Ends the reservation of an operation, and adds the rate limit headers to its answer.
    pub fn end(mut self, client: &LimitedClient, response: &mut Response) {
        if let (Charging::Requests(requests), true) = (&mut self.charging, is_request_error(response)) {
            // No field was executed, so nothing is charged.
            *requests = 0;
        }
        drop(self);
        client.state().write_headers(response);
    }
}

impl ClientBucket {
    fn state(&self) -> LimitState {
        LimitState::new(self.scope, self.buckets.rate(), self.buckets.left(self.key))
    }

    /// The requests to charge at the end. A bound is charged up to the reserved requests. Spent requests are charged in full, except to the bucket that all
    /// anonymous clients share, where one query could make the others wait for hours.
    fn charged(&self, charging: &Charging, reserved: u64) -> u64 {
        match charging {
            Charging::Requests(requests) => (*requests).min(reserved),
            Charging::Spent { reader, before } => {
                let spent = u64::from(reader.storage_used().requests()).saturating_sub(*before);
                if self.scope == RateLimitScope::Anonymous { spent.min(reserved) } else { spent }
            }
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        for (bucket, taken) in &self.taken {
            bucket.buckets.give_back(taken, bucket.charged(&self.charging, taken.reserved));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::actor::Role;
    use crate::model::instant::TICKS_PER_SECOND;
    use crate::model::{ActorKind, Instant};

    fn rate(per_second: u64, burst: u64) -> Option<Rate> {
        Rate::new(per_second, burst).ok()
    }

    fn address(text: &str) -> Option<IpAddr> {
        text.parse().ok()
    }

    fn actor(name: &str) -> Actor {
        Actor::new(ActorKind::Token, name, Role::Reader)
    }

    fn fair_use(settings: FairUseSettings) -> FairUse {
        let clock = Clock::fixed(Instant::from_ticks(10_000).expect("an instant"));
        FairUse::of(settings, &clock).expect("a limit")
    }

    fn remaining(client: &Option<LimitedClient>) -> u64 {
        client.as_ref().expect("a limit").state().remaining()
    }

    #[test]
    fn without_a_rate_there_is_no_limit() {
        assert!(FairUse::of(FairUseSettings::default(), &Clock::System).is_none());
        let of_tokens = fair_use(FairUseSettings { token: rate(1, 10), ..FairUseSettings::default() });
        assert!(of_tokens.client(None, address("192.0.2.1")).is_none());
        assert!(of_tokens.client(Some(&actor("one")), None).is_some());
        assert!(of_tokens.signing_in(address("192.0.2.1")).is_none());
    }

    #[test]
    fn each_token_and_each_address_has_a_bucket_and_anonymous_requests_share_one_more() {
        let fair = fair_use(FairUseSettings { token: rate(1, 10), address: rate(1, 20), anonymous: rate(1, 30) });
        let (one, other) = (fair.client(None, address("192.0.2.1")), fair.client(None, address("192.0.2.2")));
        let take = |client: &Option<LimitedClient>, cost| {
            client.as_ref().expect("a limit").take(cost, Charging::Requests(cost)).map(drop)
        };
        assert!(take(&one, 20).is_ok());
        assert_eq!((remaining(&one), remaining(&other)), (0, 20));
        let refused = take(&other, 20).expect_err("10 are left for all anonymous requests");
        assert_eq!(refused.state.scope(), RateLimitScope::Anonymous);
        assert_eq!(remaining(&other), 20, "a refused operation takes nothing from the other bucket");
        let token = fair.client(Some(&actor("one")), address("192.0.2.1"));
        assert!(take(&token, 10).is_ok(), "a token does not share the bucket of its address");
        assert_eq!(remaining(&fair.client(Some(&actor("other")), None)), 10);
    }

    #[test]
    fn what_one_client_may_need_keeps_the_others_waiting_for_no_longer_than_the_burst() {
        let clock = Clock::fixed(Instant::from_ticks(10_000).expect("an instant"));
        let settings = FairUseSettings { anonymous: rate(10, 100), ..FairUseSettings::default() };
        let fair = FairUse::of(settings, &clock).expect("a limit");
        let (one, other) = (fair.client(None, address("192.0.2.1")), fair.client(None, address("192.0.2.2")));
        drop(one.expect("a limit").take(50_000, Charging::Requests(50_000)).expect("a full bucket"));
        assert_eq!(remaining(&other), 0);
        clock.set(Instant::from_ticks(10_000 + 10 * TICKS_PER_SECOND).expect("an instant"));
        assert_eq!(remaining(&other), 100);
    }

    #[test]
    fn a_refused_token_takes_from_no_other_bucket() {
        let fair = fair_use(FairUseSettings { address: rate(1, 5), ..FairUseSettings::default() });
        let from = address("2001:db8::");
        let signing_in = fair.signing_in(from).expect("a limit");
        for _ in 0..5 {
            assert!(signing_in.take(1, Charging::Requests(0)).is_ok());
            signing_in.charge(1);
        }
        assert!(signing_in.take(1, Charging::Requests(1)).is_err());
        assert_eq!(remaining(&fair.client(None, from)), 5);
    }

    #[test]
    fn clients_of_one_network_share_a_name() {
        let fair = fair_use(FairUseSettings { address: rate(1, 5), ..FairUseSettings::default() });
        let key = |text: &str| fair.key_of_address(text.parse().expect("an address"));
        assert_eq!(key("192.0.2.1").shared, key("192.0.99.2").shared);
        assert_ne!(key("192.0.2.1").own, key("192.0.2.2").own);
        assert_ne!(key("192.0.2.1").shared, key("192.1.2.1").shared);
        assert_eq!(key("2001:db8:1::").shared, key("2001:db8:2::").shared);
        assert_ne!(key("2001:db8:1::").shared, key("2001:db9:1::").shared);
    }
}
