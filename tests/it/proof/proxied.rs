//! Random histories over a connection that fails at random: requests are throttled, cut, left hanging, carried out twice or not answered. The rule is
//! the same as for a store that fails: after each change the content is that of the model, as the reply says.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::store::Store;
use tidings::store::azure::AzureStore;

use crate::support::asking::{Reply, ask};
use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings};
use crate::support::choosing::Chooser;
use crate::support::model::Model;
use crate::support::proxy::Proxy;
use crate::support::random::{Random, report_seed_on_failure, seeds};

use super::scene::{later, plain_server as server};

const CHANGES: usize = 25;
/// How many of a hundred requests get a fault.
const FAULT_PERCENT: usize = 4;
/// Short, because a request that hangs is waited for as long.
const DEADLINE: Duration = Duration::from_millis(800);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_history_over_a_failing_connection_is_that_of_the_model() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let (azurite, prefix) = (Azurite::any(), random_prefix());
        let proxy = Proxy::before(&azurite).await;
        let through = AzureStore::connect(&settings(&proxy.endpoint, emulator_key(), &prefix)).expect("a client");
        let direct: Store = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
        let clock = later(&Clock::System, 0);
        let sound = server(Arc::clone(&direct), &clock).await;
        let content = server(Arc::new(through.with_deadline(DEADLINE)), &clock).await;
        let mut chooser = Chooser::new(random.part(), "");
        let (mut model, mut unknown) = (Model::default(), 0);
        proxy.fail_at_random(random.part(), FAULT_PERCENT);
        for _ in 0..CHANGES {
            clock.set(later(&clock, 1).now());
            let command = chooser.next(&model);
            let reply = ask(&content, &command).await;
            if matches!(reply, Reply::Unknown(_)) {
                unknown += 1;
                // Another server starts, which carries out what the change has left.
                drop(server(Arc::clone(&direct), &clock).await);
            }
            let found = Model::of(&sound).await;
            let resolved = model.resolved(&command, &reply, &found);
            model = resolved.unwrap_or_else(|| panic!("{command:?}: {reply:?}, {found:#?}"));
        }
        drop(server(direct, &clock).await);
        assert_eq!(sound.check().await.expect("the check reads everything").differences, Vec::new());
        assert!(unknown < CHANGES, "no change was ever answered");
        assert!(proxy.faults_met() > CHANGES / 2, "{} faults in {} requests", proxy.faults_met(), proxy.requests());
    }
}
