// Runs in rounds. The rule: a round has one run of every subject, in an order that rotates, so that a change of the machine meets all alike; disturbed
// runs are repeated, and what stays disturbed is marked.

/** The most by which the runs of a subject may differ, as a share of their median. */
const SPREAD_MAX = 0.15;
const REPEATS_MAX = 3;

/**
 * Calls `measure(subject)` in rounds and returns the samples of each subject. `budget.seconds`: how long repeats may still take in the whole program.
 */
export async function inRounds(subjects, rounds, budget, measure) {
  const samples = new Map(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < subjects.length; at += 1) {
      const subject = subjects[(at + round) % subjects.length];
      samples.get(subject).push(await measure(subject));
    }
  }
  for (let repeat = 0; repeat < REPEATS_MAX; repeat += 1) {
    const disturbed = subjects.filter((subject) => summary(samples.get(subject), rounds).isDisturbed);
    for (const subject of disturbed) {
      if (budget.seconds <= 0) return samples;
      const began = performance.now();
      samples.get(subject).push(await measure(subject));
      budget.seconds -= (performance.now() - began) / 1000;
    }
  }
  return samples;
}

/** The median of the undisturbed runs; of all runs, marked as disturbed, if too few were undisturbed or they differ too much. */
export function summary(samples, rounds) {
  const quiet = closest(samples.filter(({ isDisturbed }) => !isDisturbed), rounds);
  const isEnough = quiet.length >= Math.min(rounds, samples.length);
  const used = isEnough ? quiet : samples;
  const sorted = used.toSorted((one, other) => one.rate - other.rate);
  const middle = sorted[Math.floor(sorted.length / 2)];
  // Without any answer, too.
  const spread = (sorted.at(-1).rate - sorted[0].rate) / (middle.rate || 1) + (middle.rate ? 0 : 1);
  return { ...middle, spread, runs: samples.length, otherCpu: Math.max(...used.map(({ otherCpu }) => otherCpu)), isDisturbed: !isEnough || spread > SPREAD_MAX };
}

/** Of more runs than rounds, those whose rates are closest together. */
function closest(samples, rounds) {
  if (samples.length <= rounds) return samples;
  const sorted = samples.toSorted((one, other) => one.rate - other.rate);
  const slices = sorted.slice(0, sorted.length - rounds + 1).map((_, from) => sorted.slice(from, from + rounds));
  const spread = (slice) => (slice.at(-1).rate - slice[0].rate) / slice[0].rate;
  return slices.reduce((best, slice) => (spread(slice) <= spread(best) ? slice : best));
}
