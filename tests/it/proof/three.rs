//! Three servers, a start of a fourth and a stop, interleaved at random. The rule: the replies and the content are those of one change after the other.

use crate::support::asking::{Reply, ask};
use crate::support::choosing::Chooser;
use crate::support::model::{Command, Model};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::stepping::{Actor, Trace, trace_text};

use super::scene::{Scene, clock, later, server};

const WRITERS: usize = 3;
const NAMES: [&str; WRITERS] = ["A", "B", "C"];

struct Writer {
    command: Command,
    actor: Option<Actor<Reply>>,
    reply: Option<Reply>,
}

async fn run(scene: &Scene, random: &mut Random) {
    let (store, clock, trace) = (scene.store.fork(), clock(), Trace::default());
    let mut chooser = Chooser::new(random.part(), "");
    let mut writers = Vec::new();
    for (name, ticks) in NAMES.iter().zip(0..) {
        let command = chooser.next(&scene.model);
        let (clock, asked) = (later(&clock, ticks), command.clone());
        let work = |gated| async move { ask(&server(gated, &clock).await, &asked).await };
        let actor = Some(Actor::new(name, store.clone(), &trace, work).await);
        writers.push(Writer { command, actor, reply: None });
    }
    // In each run, another server starts, or one stops.
    let (starts, mishap_at) = (random.chance(50), Some(random.below(100)));
    let (mut starts_at, mut stops_at) = if starts { (mishap_at, None) } else { (None, mishap_at) };
    while writers.iter().any(|writer| writer.reply.is_none()) {
        let writer = &mut writers[random.below(WRITERS)];
        let Some(actor) = &mut writer.actor else { continue };
        if happens(&mut stops_at) {
            trace.lock().expect("no request panics").push("stopped: the next".to_owned());
            (writer.actor, writer.reply) = (None, Some(Reply::Unknown("stopped".to_owned())));
            continue;
        }
        // A few steps of one server, any of its requests first.
        for _ in 0..=random.below(6) {
            let at = random.below(actor.requests());
            actor.step_at(at).await;
        }
        if actor.is_done() {
            let actor = writer.actor.take().expect("it was there");
            writer.reply = Some(actor.finish().await);
        }
        if happens(&mut starts_at) {
            trace.lock().expect("no request panics").push("another server starts".to_owned());
            drop(server(store.clone(), &later(&clock, 0)).await);
        }
    }
    let sound = server(store, &clock).await;
    let found = Model::of(&sound).await;
    let differences = sound.check().await.expect("the check reads everything").differences;
    let asked: Vec<(Command, Reply)> =
        writers.into_iter().map(|writer| (writer.command, writer.reply.expect("all are done"))).collect();
    assert!(
        differences.is_empty() && scene.model.explains_loosely(&asked, &found),
        "{asked:#?}\n{differences:#?}\n{:#?}{}",
        found.posts,
        trace_text(&trace)
    );
}

/// Counts down to an event that happens once.
fn happens(left: &mut Option<usize>) -> bool {
    match left {
        Some(0) => {
            *left = None;
            true
        }
        Some(more) => {
            *more -= 1;
            false
        }
        None => false,
    }
}

#[tokio::test(start_paused = true)]
async fn three_changes_in_any_order_of_their_requests_are_one_after_the_other() {
    let scene = Scene::new().await;
    for seed in seeds(250) {
        let _report = report_seed_on_failure(seed);
        run(&scene, &mut Random::new(seed)).await;
    }
}
