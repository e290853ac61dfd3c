// Where the waterfall draws what. The rule: no React and no page here, only figures; each request of the plan is in exactly one row.

/** So few requests of one batch are rows of their own. */
const GROUP_MIN = 3;
/** The least width of a round trip, as a part of what it would have if all had the same. */
const BAND_MIN = 0.6;
/** The greatest width of the time between two round trips. */
const GAP_MAX = 0.03;
/** The least distance between two times of the axis, as a part of its width. */
const TICK_DISTANCE = 0.19;

/** A request that was not answered has no duration. */
const endOf = ({ start, duration }) => start + (duration ?? 0);

/**
 * The requests in groups, in order of their first start: those of one batch (or of one round trip, if they have no batch) that read one table in one
 * way. A group of one or two requests is not worth a row of its own, and becomes groups of one.
 */
export function groupsOf(requests) {
  const byKey = new Map();
  for (const request of requests) {
    const { batch, roundTrip, table, kind } = request;
    const key = `${roundTrip}/${batch ?? ""}/${table}/${kind}`;
    if (!byKey.has(key)) byKey.set(key, []);
    byKey.get(key).push(request);
  }
  const groups = [...byKey].flatMap(([key, members]) =>
    members.length < GROUP_MIN ? members.map((one) => groupOf(`${key}/${one.id}`, [one])) : [groupOf(key, members)],
  );
  return groups.sort((one, other) => one.roundTrip - other.roundTrip || one.start - other.start);
}

function groupOf(key, members) {
  const { table, kind, roundTrip, batch, loader } = members[0];
  const start = Math.min(...members.map((one) => one.start));
  const isAnswered = members.some(({ duration }) => duration !== null);
  const duration = isAnswered ? Math.max(...members.map(endOf)) - start : null;
  const sum = (name) => members.reduce((total, one) => total + (one[name] ?? 0), 0);
  return { key, members, table, kind, roundTrip, batch, loader, start, duration, rows: sum("rows"), bytes: sum("bytes") };
}

/**
 * The time axis, from the start of the first request to the end of the last one: a band for each round trip, from its first request to the first one of
 * the next. Time is linear while the requests of a band last. A band that would be too narrow for its number and bars is drawn wider, the time until the
 * next one without any request is drawn narrower, and `isToScale` says whether neither was needed.
 */
export function timeline(requests) {
  const first = new Map();
  for (const { roundTrip, start } of requests) first.set(roundTrip, Math.min(start, first.get(roundTrip) ?? start));
  const trips = [...first.keys()].sort((one, other) => one - other);
  const end = Math.max(1, ...requests.map(endOf));
  const starts = trips.map((trip) => first.get(trip));
  // A request of a later round trip can start before those of an earlier one, in another part of the query.
  for (let index = 1; index < starts.length; index += 1) starts[index] = Math.max(starts[index], starts[index - 1]);
  const spans = starts.map((start, index) => spanOf(requests, start, starts[index + 1] ?? end));
  const total = spans.reduce((sum, { busy, idle }) => sum + busy + idle, 0) || 1;
  const gaps = spans.map(({ idle }) => Math.min(GAP_MAX, idle / total));
  const rest = 1 - gaps.reduce((sum, gap) => sum + gap, 0);
  const { widths, isWidened } = widthsOf(spans.map(({ busy }) => busy));
  let left = 0;
  const bands = trips.map((trip, index) => {
    const busyWidth = widths[index] * rest;
    const band = { trip, start: starts[index], ...spans[index], left, busyWidth, width: busyWidth + gaps[index] };
    left += band.width;
    return band;
  });
  const isToScale = !isWidened && spans.every(({ idle }) => idle / total <= GAP_MAX);
  return { bands, end, isToScale, ticks: ticksOf(bands, end), place: (time) => placeOf(bands, time) };
}

/** How long there are requests from `start` on, and how long there are no more until `next`. */
function spanOf(requests, start, next) {
  const last = Math.max(start, ...requests.filter((one) => one.start < next).map(endOf));
  const busy = Math.min(last, next) - start;
  return { busy, idle: Math.max(0, next - start - busy) };
}

/** Widths that sum to 1. */
function widthsOf(lengths) {
  const total = lengths.reduce((sum, one) => sum + one, 0) || 1;
  const least = BAND_MIN / lengths.length;
  const narrow = lengths.filter((length) => length / total < least);
  if (narrow.length === 0) return { widths: lengths.map((length) => length / total), isWidened: false };
  if (narrow.length === lengths.length) return { widths: lengths.map(() => 1 / lengths.length), isWidened: true };
  const wide = total - narrow.reduce((sum, one) => sum + one, 0);
  const rest = 1 - narrow.length * least;
  const widths = lengths.map((length) => (length / total < least ? least : (length / wide) * rest));
  return { widths, isWidened: true };
}

function ticksOf(bands, end) {
  const ticks = [];
  for (const { left, start } of bands) {
    if (left <= 1 - 2 * TICK_DISTANCE && left - (ticks.at(-1)?.left ?? -1) >= TICK_DISTANCE) ticks.push({ left, time: start });
  }
  return [...ticks, { left: 1, time: end }];
}

/** The place of a time on the axis, from 0 to 1. */
function placeOf(bands, time) {
  const band = bands.findLast(({ start }) => start <= time) ?? bands[0];
  if (!band) return 0;
  const since = Math.max(0, time - band.start);
  if (since <= band.busy) return band.left + part(since, band.busy) * band.busyWidth;
  return band.left + band.busyWidth + part(since - band.busy, band.idle) * (band.width - band.busyWidth);
}

const part = (value, of) => (of > 0 ? Math.min(1, value / of) : 0);

/** Left edge and width of a bar, in percent of the axis. */
export function extentOf({ start, duration }, { place }) {
  const left = place(start);
  return { left: `${(left * 100).toFixed(3)}%`, width: `${((place(start + (duration ?? 0)) - left) * 100).toFixed(3)}%` };
}

/** The fields that can cost something, or have such a field below them: the others say nothing in a plan. */
export function costlyFields(fields = []) {
  return fields.flatMap((field) => {
    const below = costlyFields(field.fields);
    return (field.bound ?? 0) > 0 || below.length > 0 ? [{ ...field, fields: below }] : [];
  });
}

/** What was found in memory, by table: how often, the most frequent first. */
export const hitsByTable = (hits = []) => [...hits].sort((one, other) => other.count - one.count);
