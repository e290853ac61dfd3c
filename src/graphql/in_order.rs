//! Runs futures of one type concurrently. The rule: a future that is ready at its first poll needs no allocation and no task of its own.
//!
//! Most fields are ready at once, because they only read their object. The engine's own container allocates a future and a task for each
//! field and polls all of them through a queue, which is most of the cost of a field.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

/// A future whose allocation is reused for the next one.
type Slot<F> = Pin<Box<Option<F>>>;

/// Returns the outputs in the order of the futures. Polls each future once in this order, then the waiting ones whenever they are woken.
pub(super) async fn run_in_order<F>(futures: impl ExactSizeIterator<Item = F> + Send) -> Vec<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    let mut outputs = Vec::with_capacity(futures.len());
    let mut waiting = Vec::new();
    let mut slot: Option<Slot<F>> = None;
    for future in futures {
        let mut current = match slot.take() {
            Some(mut used) => {
                used.set(Some(future));
                used
            }
            None => Box::pin(Some(future)),
        };
        match poll_fn(|cx| Poll::Ready(poll(&mut current, cx))).await {
            Poll::Ready(output) => {
                outputs.push(Some(output));
                slot = Some(current);
            }
            Poll::Pending => {
                waiting.push((outputs.len(), current));
                outputs.push(None);
            }
        }
    }
    drop(slot);
    if !waiting.is_empty() {
        wait(waiting, &mut outputs).await;
    }
    outputs.into_iter().map(|output| output.expect("every future has run to its end")).collect()
}

/// Polls each future only when it is woken, because many can wait.
async fn wait<F>(waiting: Vec<(usize, Slot<F>)>, outputs: &mut [Option<F::Output>])
where
    F: Future + Send,
    F::Output: Send,
{
    // Waits until one of the polled futures wakes this task. A loader that has yielded must not be polled again before the fields of other
    // objects have requested their keys (`loaders/batch.rs`).
    futures_util::pending!();
    let futures =
        waiting.into_iter().map(|(index, mut slot)| async move { (index, poll_fn(|cx| poll(&mut slot, cx)).await) });
    let mut woken: FuturesUnordered<_> = futures.collect();
    while let Some((index, output)) = woken.next().await {
        outputs[index] = Some(output);
    }
}

fn poll<F: Future>(slot: &mut Slot<F>, cx: &mut std::task::Context<'_>) -> Poll<F::Output> {
    slot.as_mut().as_pin_mut().expect("a slot that is polled has a future").poll(cx)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::Barrier;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn outputs_have_the_order_of_their_futures() {
        let futures = (0..100_usize).map(|n| async move {
            for _ in 0..(n * 7) % 5 {
                yield_now().await;
            }
            n
        });
        assert_eq!(run_in_order(futures).await, (0..100).collect::<Vec<_>>());
        assert!(run_in_order([(); 0].map(|()| async {}).into_iter()).await.is_empty());
    }

    #[tokio::test]
    async fn every_future_begins_before_one_that_waits_goes_on() {
        let (barrier, begun) = (Barrier::new(3), Mutex::new(Vec::new()));
        let futures = (0..3).map(|n| {
            let (barrier, begun) = (&barrier, &begun);
            async move {
                begun.lock().expect("no code panics while it holds this lock").push(n);
                barrier.wait().await;
            }
        });
        run_in_order(futures).await;
        assert_eq!(*begun.lock().expect("no code panics while it holds this lock"), [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_future_that_yields_goes_on_after_all_others_of_the_tree_have_begun() {
        let events = Mutex::new(Vec::new());
        let note = |event: String| events.lock().expect("no code panics while it holds this lock").push(event);
        let lists = (0..2).map(|list| {
            let note = &note;
            let fields = (0..2).map(move |field| async move {
                note(format!("{list}{field} begins"));
                yield_now().await;
                note(format!("{list}{field} ends"));
            });
            run_in_order(fields)
        });
        run_in_order(lists).await;
        let expected = ["begins", "ends"].map(|what| ["00", "01", "10", "11"].map(|field| format!("{field} {what}")));
        assert_eq!(*events.lock().expect("no code panics while it holds this lock"), expected.concat());
    }
}
