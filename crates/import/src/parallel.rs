//! Applies a function to many values on all cores. The rule: the results are in the order of the values, so no import depends on which thread was
//! faster.

use std::panic;
use std::thread;

/// `compute` must not wait for another value.
pub fn map<T: Send, R: Send>(values: Vec<T>, compute: impl Fn(T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = values.len().div_ceil(workers).max(1);
    if values.len() <= 1 || workers == 1 {
        return values.into_iter().map(compute).collect();
    }
    let mut values = values.into_iter();
    let shares: Vec<Vec<T>> = (0..workers).map(|_| values.by_ref().take(share).collect()).collect();
    thread::scope(|scope| {
        let compute = &compute;
        let spawn = |share: Vec<T>| scope.spawn(move || share.into_iter().map(compute).collect::<Vec<R>>());
        let threads: Vec<_> = shares.into_iter().map(spawn).collect();
        let joined =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_are_in_the_order_of_the_values() {
        for count in [0, 1, 2, 1_001] {
            assert_eq!(map((0..count).collect(), |n| n * 2), (0..count).map(|n| n * 2).collect::<Vec<_>>());
        }
    }
}
