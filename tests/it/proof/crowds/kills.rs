//! `kill -9` and a restart of one server after the other while the run goes on. The rule: the moment and the server are random, and every server
//! serves again before the run ends.

use std::sync::Arc;
use std::time::Duration;

use crate::support::random::Random;

use super::fleet::{Fleet, is_of_slow_storage};
use super::scene::{Bound, Scene};
use super::violations::Kind;

/// Kills of a run that is bounded by its mutations.
const KILLS: usize = 3;
/// The pause between two kills of a long run.
const PAUSE_MS_MIN: usize = 2_000;
const PAUSE_MS_MAX: usize = 7_000;
/// The longest time that a server stays down.
const DOWN_MS_MAX: usize = 800;
const TICK: Duration = Duration::from_millis(5);

/// Kills servers until the run is over. Returns how many kills there were.
pub(super) async fn kill_on(fleet: Arc<Fleet>, scene: Arc<Scene>, mut random: Random) -> usize {
    let mut kills = 0;
    loop {
        match scene.bound {
            Bound::Mutations(_) => {
                let next = (kills + 1) as f64 / (KILLS + 1) as f64;
                while scene.progress() < next && !scene.is_over() {
                    tokio::time::sleep(TICK).await;
                }
            }
            Bound::Time(_) => {
                let pause = PAUSE_MS_MIN + random.below(PAUSE_MS_MAX - PAUSE_MS_MIN);
                tokio::time::sleep(Duration::from_millis(pause as u64)).await;
            }
        }
        if scene.is_over() {
            return kills;
        }
        // A server that has not started is tried again at its next kill.
        let (server, down) = (random.below(fleet.count()), Duration::from_millis(random.below(DOWN_MS_MAX) as u64));
        let fleet = Arc::clone(&fleet);
        let restarted = tokio::task::spawn_blocking(move || {
            fleet.kill(server);
            std::thread::sleep(down);
            fleet.start(server)
        });
        match restarted.await.expect("it does not panic") {
            Ok(()) => {}
            Err(complaint) if is_of_slow_storage(&complaint) => scene.reads.count_failed("no start in time"),
            Err(complaint) => scene.ledger().violate(Kind::Server, complaint, Vec::new()),
        }
        kills += 1;
    }
}
