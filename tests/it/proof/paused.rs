//! A server that sleeps past its lease while another recovers, and then goes on; and one that never wakes. The rule: a change is made or not, as the
//! reply says, whenever the server wakes and whatever other servers have done meanwhile.

use crate::support::asking::{Reply, ask};
use crate::support::model::{Command, Model};
use crate::support::random::{Random, report_seed_on_failure, seeds, stride};
use crate::support::stepping::{Actor, Trace, trace_text};

use super::scene::{
    Scene, clock, create, delete, draft, later, let_leases_end, redate, rename, retag, retitle, save_tag, server,
    unpublish,
};

/// What happens while the server sleeps.
#[derive(Debug, Clone)]
enum Meanwhile {
    /// Another server recovers: this many of its steps while the first one sleeps, the rest after that one is done.
    Recovery(usize),
    /// Another server recovers, then makes a change.
    Change(Command),
    /// Another server makes a change, then recovers.
    ChangeFirst(Command),
}

/// The server runs `steps` and sleeps; it wakes only if `wakes`. Returns whether it slept at all, and whether the other server had more to do.
async fn run(scene: &Scene, command: &Command, steps: usize, meanwhile: &Meanwhile, wakes: bool) -> (bool, bool) {
    let (store, trace) = (scene.store.fork(), Trace::default());
    let (sleepers, others) = (clock(), later(&clock(), 1));
    let work = {
        let command = command.clone();
        |gated| async move { ask(&server(gated, &sleepers).await, &command).await }
    };
    let mut sleeper = Actor::new("A", store.clone(), &trace, work).await;
    sleeper.steps(steps).await;
    let slept = !sleeper.is_done();
    let sound = server(store.clone(), &others).await;
    let mut asked = Vec::new();
    if let Meanwhile::ChangeFirst(other) = meanwhile {
        asked.push((other.clone(), ask(&sound, other).await));
    }
    let_leases_end(&others);
    let recovery = {
        let others = others.clone();
        |gated| async move { server(gated, &others).await.recover().await.map(|_| ()) }
    };
    let mut recovery = Actor::new("R", store.clone(), &trace, recovery).await;
    let mut had_more = false;
    if let Meanwhile::Recovery(steps) = meanwhile {
        recovery.steps(*steps).await;
        had_more = !recovery.is_done();
    } else {
        while recovery.step().await {}
    }
    if let Meanwhile::Change(other) = meanwhile {
        trace.lock().expect("no request panics").push("another change, whole".to_owned());
        asked.push((other.clone(), ask(&sound, other).await));
    }
    let answer = if wakes { sleeper.finish().await } else { Reply::Unknown("it never woke".to_owned()) };
    asked.push((command.clone(), answer));
    let recovered = recovery.finish().await;
    let_leases_end(&others);
    sound.recover().await.expect("a last recovery");
    let found = Model::of(&sound).await;
    let differences = sound.check().await.expect("the check reads everything").differences;
    assert!(
        differences.is_empty() && scene.model.explains_loosely(&asked, &found),
        "A {steps} steps, {meanwhile:?}, {recovered:?}: {asked:?}\n{differences:#?}\n{:?}{}",
        found.posts,
        trace_text(&trace)
    );
    (slept, had_more)
}

async fn assert_late_is_harmless(command: Command) {
    let scene = Scene::new().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let (mut random, mut steps) = (Random::new(seed), 0);
        loop {
            let (mut slept, mut of_recovery) = (false, 0);
            loop {
                let (asleep, had_more) = run(&scene, &command, steps, &Meanwhile::Recovery(of_recovery), true).await;
                slept |= asleep;
                if !had_more {
                    break;
                }
                of_recovery += stride(&mut random);
            }
            if !slept {
                break;
            }
            steps += stride(&mut random);
        }
    }
}

async fn assert_harmless_beside(command: Command, other: Command) {
    let scene = Scene::new().await;
    for meanwhile in [Meanwhile::Change(other.clone()), Meanwhile::ChangeFirst(other)] {
        for wakes in [true, false] {
            for steps in 0.. {
                if !run(&scene, &command, steps, &meanwhile, wakes).await.0 {
                    break;
                }
            }
        }
    }
}

macro_rules! late {
    ($($name:ident: $command:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_late_is_harmless($command).await;
        })+
    };
}

macro_rules! late_beside {
    ($($name:ident: $command:expr, $other:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_harmless_beside($command, $other).await;
        })+
    };
}

late! {
    a_late_create: create("new", &["a", "c"]);
    a_late_draft: draft("new");
    a_late_retitle: retitle(0, "Late");
    a_late_retag: retag(0, &["b", "c"]);
    a_late_rename: rename(0, "new");
    a_late_redate_within_the_month: redate(0, "2026-05-20T00:00:00Z");
    a_late_move: redate(0, "2026-02-01T00:00:00Z");
    a_late_publication: redate(3, "2026-05-05T00:00:00Z");
    a_late_withdrawal: unpublish(0);
    a_late_deletion: delete(0);
    a_late_tag: save_tag("c", "Late");
}

late_beside! {
    a_late_create_beside_one_of_its_slug: create("new", &["a"]), create("new", &["c"]);
    a_late_rename_beside_a_create_of_its_slug: rename(0, "new"), create("new", &["c"]);
    a_late_rename_beside_another: rename(0, "new"), rename(0, "newer");
    a_late_retag_beside_another: retag(0, &["b", "c"]), retag(0, &["c"]);
    a_late_move_beside_a_retag: redate(0, "2026-02-01T00:00:00Z"), retag(0, &["b"]);
    a_late_retag_beside_a_move: retag(0, &["b"]), redate(0, "2026-02-01T00:00:00Z");
    a_late_move_beside_another: redate(0, "2026-02-01T00:00:00Z"), redate(0, "2026-03-03T00:00:00Z");
    a_late_move_beside_the_same: redate(0, "2026-02-01T00:00:00Z"), redate(0, "2026-02-01T00:00:00Z");
    a_late_publication_beside_a_deletion: redate(3, "2026-05-05T00:00:00Z"), delete(3);
    a_late_deletion_beside_a_retitle: delete(0), retitle(0, "Other");
    a_late_deletion_beside_a_move: delete(0), redate(0, "2026-02-01T00:00:00Z");
    a_late_withdrawal_beside_a_redate: unpublish(0), redate(0, "2026-05-20T00:00:00Z");
    a_late_redate_beside_a_retag: redate(0, "2026-05-20T00:00:00Z"), retag(0, &["b"]);
}
