//! The request units that Cosmos DB charges for an answer. The rule: the client of Azure notes each charge, and whoever awaits the request adds them up.

use std::cell::Cell;

tokio::task_local! {
    static CHARGED: Cell<f64>;
}

/// The answer to a request, with the request units that were noted until then; 0 if the store charges none. They count for an outer call too.
pub(super) async fn charged<T>(request: impl Future<Output = T>) -> (T, f64) {
    let counted = async {
        let answer = request.await;
        (answer, CHARGED.with(Cell::get))
    };
    let (answer, units) = CHARGED.scope(Cell::new(0.0), counted).await;
    note(units);
    (answer, units)
}

/// Notes a charge, if somebody counts it.
pub(super) fn note(units: f64) {
    let _ = CHARGED.try_with(|charged| charged.set(charged.get() + units));
}
