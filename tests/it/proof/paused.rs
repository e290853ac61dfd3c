//! A server that sleeps while others start and make changes, and then goes on; and one that never wakes. The rule: a change is made or not, as the
//! reply says, and whole, whenever the server wakes and whatever other servers have done meanwhile.

use tidings::clock::Clock;

use crate::support::asking::{Reply, ask};
use crate::support::model::{Command, Model};
use crate::support::random::{Random, report_seed_on_failure, seeds, stride, wide_stride};
use crate::support::stepping::{Actor, Releases, Trace, trace_text};

use super::scene::{
    Scene, clock, create, delete, draft, later, redate, rename, retag, retitle, save_tag, server, unpublish,
};

/// What happens while the server sleeps.
#[derive(Debug, Clone)]
enum Meanwhile {
    /// Another server starts: this many of its steps while the first one sleeps, the rest after that one is done.
    Start(usize),
    /// Another server starts, then makes a change.
    Change(Command),
    /// A server that has started before makes a change; then another starts.
    ChangeFirst(Command),
}

/// The server runs `steps` and sleeps; it wakes only if `wakes`. Returns whether it slept at all, and whether the other server had more to do.
async fn run(scene: &Scene, command: &Command, steps: usize, meanwhile: &Meanwhile, wakes: bool) -> (bool, bool) {
    run_releasing(Releases::Oldest, scene, command, steps, meanwhile, wakes).await
}

/// `releases`: which of the requests that the sleeper has sent together arrives first.
async fn run_releasing(
    releases: Releases,
    scene: &Scene,
    command: &Command,
    steps: usize,
    meanwhile: &Meanwhile,
    wakes: bool,
) -> (bool, bool) {
    let (store, trace) = (scene.store.fork(), Trace::default());
    let (sleepers, others) = (clock(), later(&clock(), 1));
    let sound = server(store.clone(), &others).await;
    let work = {
        let command = command.clone();
        |gated| async move { ask(&server(gated, &sleepers).await, &command).await }
    };
    let mut sleeper = Actor::new("A", store.clone(), &trace, work).await;
    sleeper.release(releases);
    sleeper.steps(steps).await;
    let slept = !sleeper.is_done();
    let mut asked = Vec::new();
    if let Meanwhile::ChangeFirst(other) = meanwhile {
        asked.push((other.clone(), ask(&sound, other).await));
    }
    let start = {
        let others = others.clone();
        |gated| async move { drop(server(gated, &others).await) }
    };
    let mut start = Actor::new("S", store.clone(), &trace, start).await;
    let mut had_more = false;
    if let Meanwhile::Start(steps) = meanwhile {
        for _ in 0..*steps {
            if !start.step().await {
                break;
            }
        }
        had_more = !start.is_done();
    } else {
        while start.step().await {}
    }
    if let Meanwhile::Change(other) = meanwhile {
        trace.lock().expect("no request panics").push("another change, whole".to_owned());
        asked.push((other.clone(), ask(&server(store.clone(), &others).await, other).await));
    }
    let answer = if wakes { sleeper.finish().await } else { Reply::Unknown("it never woke".to_owned()) };
    asked.push((command.clone(), answer));
    start.finish().await;
    let found = Model::of(&server(store, &others).await).await;
    let differences = sound.check().await.expect("the check reads everything").differences;
    assert!(
        differences.is_empty() && scene.model.explains_loosely(&asked, &found),
        "A {steps} steps, {meanwhile:?}: {asked:?}\n{differences:#?}\n{:?}{}",
        found.posts,
        trace_text(&trace)
    );
    (slept, had_more)
}

/// The first server runs `first` steps and sleeps; another starts, and begins a change; the first wakes after `second` steps of that change. Returns
/// whether each of them had more to do.
async fn run_overtaken(scene: &Scene, commands: [&Command; 2], (first, second): (usize, usize)) -> (bool, bool) {
    let (store, trace) = (scene.store.fork(), Trace::default());
    let (sleepers, others) = (clock(), later(&clock(), 1));
    let begin = |name, command: &Command, clock: &Clock| {
        let (command, clock) = (command.clone(), clock.clone());
        let work = |gated| async move { ask(&server(gated, &clock).await, &command).await };
        Actor::new(name, store.clone(), &trace, work)
    };
    let mut sleeper = begin("A", commands[0], &sleepers).await;
    sleeper.steps(first).await;
    let sound = server(store.clone(), &others).await;
    let mut other = begin("B", commands[1], &others).await;
    other.steps(second).await;
    let had_more = (!sleeper.is_done(), !other.is_done());
    let late = sleeper.finish().await;
    let asked = [(commands[0].clone(), late), (commands[1].clone(), other.finish().await)];
    let found = Model::of(&server(store.clone(), &others).await).await;
    let differences = sound.check().await.expect("the check reads everything").differences;
    assert!(
        differences.is_empty() && scene.model.explains_loosely(&asked, &found),
        "A {first} steps, B {second}: {asked:?}\n{differences:#?}\n{:?}{}",
        found.posts,
        trace_text(&trace)
    );
    had_more
}

async fn assert_overtaken_is_harmless(one: Command, other: Command) {
    let scene = Scene::new().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let (mut random, mut first) = (Random::new(seed), 0);
        loop {
            let (mut second, mut slept) = (0, false);
            loop {
                let had_more = run_overtaken(&scene, [&one, &other], (first, second)).await;
                slept |= had_more.0;
                if !had_more.1 {
                    break;
                }
                second += wide_stride(&mut random);
            }
            if !slept {
                break;
            }
            first += stride(&mut random);
        }
    }
}

async fn assert_late_is_harmless(command: Command) {
    let scene = Scene::new().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let (mut random, mut steps) = (Random::new(seed), 0);
        loop {
            let (mut slept, mut of_start) = (false, 0);
            loop {
                let (asleep, had_more) = run(&scene, &command, steps, &Meanwhile::Start(of_start), true).await;
                slept |= asleep;
                if !had_more {
                    break;
                }
                of_start += wide_stride(&mut random);
            }
            if !slept {
                break;
            }
            steps += stride(&mut random);
        }
    }
}

/// The whole start while the server sleeps, at each of its steps.
async fn assert_late_in_reverse_is_harmless(command: Command) {
    let scene = Scene::new().await;
    let whole = Meanwhile::Start(usize::MAX);
    for steps in 0.. {
        if !run_releasing(Releases::Newest, &scene, &command, steps, &whole, true).await.0 {
            break;
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

macro_rules! late_in_reverse {
    ($($name:ident: $command:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_late_in_reverse_is_harmless($command).await;
        })+
    };
}

macro_rules! overtaken {
    ($($name:ident: $one:expr, $other:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_overtaken_is_harmless($one, $other).await;
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

late_in_reverse! {
    a_create_whose_first_request_is_late: create("new", &["a", "c"]);
    a_draft_whose_first_request_is_late: draft("new");
    a_retag_whose_first_request_is_late: retag(0, &["b", "c"]);
    a_move_whose_first_request_is_late: redate(0, "2026-02-01T00:00:00Z");
    a_publication_whose_first_request_is_late: redate(3, "2026-05-05T00:00:00Z");
    a_tag_whose_first_request_is_late: save_tag("c", "Late");
}

overtaken! {
    a_move_during_the_next_one: redate(0, "2026-02-01T00:00:00Z"), redate(0, "2026-02-01T00:00:00Z");
    a_create_during_the_next_one: create("new", &["c"]), create("new", &["c"]);
    a_tag_during_the_next_one: save_tag("c", "Late"), save_tag("c", "Late");
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
