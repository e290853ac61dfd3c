//! What a storage request is made for. The rule: the purpose belongs to a future, not to a thread: it is set only while
//! the future is polled, so that concurrent futures of one task do not see each other's.
//!
//! A future without a purpose of its own is polled directly, so that a request that is not explained pays for one comparison.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::Either;

thread_local! {
    static CURRENT: Cell<Purpose> = const { Cell::new(Purpose::NONE) };
}

/// A field of the answer, or several fields that share what is read, as an [`Explanation`](super::Explanation) knows them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purpose(pub(super) u32);

impl Purpose {
    /// No known purpose.
    pub const NONE: Self = Self(0);

    /// The purpose of the future that is being polled.
    pub fn current() -> Self {
        CURRENT.get()
    }

    /// Makes the storage requests of a future for this purpose.
    pub fn of<F: Future>(self, future: F) -> Either<F, MadeFor<F>> {
        match self {
            Self::NONE => Either::Left(future),
            purpose => Either::Right(MadeFor { purpose, future: Box::pin(future) }),
        }
    }
}

pub struct MadeFor<F> {
    purpose: Purpose,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for MadeFor<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _during = During::begin(self.purpose);
        self.future.as_mut().poll(cx)
    }
}

/// Restores the previous purpose when it is dropped, also after a panic.
struct During(Purpose);

impl During {
    fn begin(purpose: Purpose) -> Self {
        Self(CURRENT.replace(purpose))
    }
}

impl Drop for During {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join;
    use tokio::task::yield_now;

    use super::*;

    async fn before_and_after_a_wait() -> [Purpose; 2] {
        let before = Purpose::current();
        yield_now().await;
        [before, Purpose::current()]
    }

    #[tokio::test]
    async fn concurrent_futures_have_their_own_purposes() {
        let (first, second) = (Purpose(1), Purpose(2));
        let both = join(first.of(before_and_after_a_wait()), second.of(before_and_after_a_wait())).await;
        assert_eq!(both, ([first; 2], [second; 2]));
        assert_eq!(Purpose::current(), Purpose::NONE);
    }

    #[tokio::test]
    async fn the_inner_purpose_counts_until_its_future_ends() {
        let (outer, inner) = (Purpose(1), Purpose(2));
        let found = outer.of(async { (inner.of(before_and_after_a_wait()).await, Purpose::current()) }).await;
        assert_eq!(found, ([inner; 2], outer));
        // A future without a purpose has the one of the future around it.
        assert_eq!(outer.of(Purpose::NONE.of(before_and_after_a_wait())).await, [outer; 2]);
    }
}
