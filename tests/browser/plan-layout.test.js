// The figures behind the panel of the plan, without a browser: where its waterfall draws what, and where fields are in the text of a query.
import assert from "node:assert/strict";
import { test } from "node:test";
import { costlyFields, extentOf, groupsOf, hitsByTable, timeline } from "../../playground/src/plan/layout.js";
import { pathsAt, placesIn, placesOf } from "../../playground/src/plan/places.js";

const TABLES = ["Posts", "Tags", "Authors"];

/** A plan of `count` requests, of which each seed gives another. */
function requestsOf(count, seed) {
  let state = seed;
  const next = (below) => (state = (state * 48271) % 2147483647) % below;
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    kind: next(2) ? "POINT" : "RANGE",
    table: TABLES[next(3)],
    roundTrip: 1 + next(5),
    batch: next(3) ? next(4) : null,
    start: next(9_000),
    duration: next(10) ? next(2_000) : null,
    rows: next(20),
    bytes: next(2_000),
  }));
}

test("each request is in exactly one group, and a group has the requests of one table, kind and round trip", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const requests = requestsOf(seed * 3, seed);
    const groups = groupsOf(requests);
    const ids = groups.flatMap(({ members }) => members.map(({ id }) => id));
    assert.deepEqual(ids.sort((one, other) => one - other), requests.map(({ id }) => id));
    for (const { members, rows } of groups) {
      assert.equal(new Set(members.map(({ table, kind, roundTrip }) => `${table} ${kind} ${roundTrip}`)).size, 1);
      assert.equal(rows, members.reduce((sum, one) => sum + one.rows, 0));
      assert.notEqual(members.length, 2);
    }
  }
});

test("the time axis runs from left to right and has a band for each round trip, however short", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const requests = requestsOf(seed, seed);
    const axis = timeline(requests);
    assert.equal(axis.bands.length, new Set(requests.map(({ roundTrip }) => roundTrip)).size);
    const width = axis.bands.reduce((sum, band) => sum + band.width, 0);
    assert.ok(Math.abs(width - 1) < 1e-9, `${width}`);
    assert.ok(axis.bands.every((band) => band.width > 0.05));
    let last = 0;
    for (let time = 0; time <= axis.end; time += 50) {
      assert.ok(axis.place(time) >= last - 1e-9, `at ${time}`);
      last = axis.place(time);
    }
    assert.ok(Math.abs(axis.place(axis.end) - 1) < 1e-9 || axis.bands.at(-1).busy === 0);
    for (const request of requests) {
      const { left, width: wide } = extentOf(request, axis);
      assert.ok(parseFloat(left) >= 0 && parseFloat(left) + parseFloat(wide) <= 100.01, `${left} ${wide}`);
    }
  }
});

test("the time between two round trips is narrow, however long it is", () => {
  const ofTrip = (roundTrip, start) => ({ id: start, kind: "POINT", table: "Tags", roundTrip, start, duration: 10 });
  const { bands, isToScale } = timeline([ofTrip(1, 5), ofTrip(2, 100_000)]);
  assert.equal(isToScale, false);
  assert.ok(bands[0].width - bands[0].busyWidth < 0.05 && bands[1].width > 0.4, JSON.stringify(bands));
});

test("a plan without requests has an axis", () => {
  const { bands, ticks, place } = timeline([]);
  assert.deepEqual([bands.length, ticks.length, place(5)], [0, 1, 0]);
});

test("fields that cost nothing are left out, except above those that do", () => {
  const leaf = { path: "posts.nodes.tags", bound: 3 };
  const fields = [{ path: "posts", fields: [{ path: "posts.nodes", fields: [leaf, { path: "posts.nodes.title" }] }] }, { path: "__typename" }];
  const [posts, ...others] = costlyFields(fields);
  assert.deepEqual(others, []);
  assert.deepEqual(posts.fields[0].fields.map(({ path }) => path), ["posts.nodes.tags"]);
});

test("what was found in memory is sorted by how often", () => {
  const hits = [{ table: "Tags", count: 2 }, { table: "Authors", count: 9 }];
  assert.deepEqual(hitsByTable(hits), [{ table: "Authors", count: 9 }, { table: "Tags", count: 2 }]);
});

const TEXT = `query One { other: archive(year: 2024) { month } }
query Two($n: Int) {
  posts(first: $n) { nodes { ...F ... on Post { slug } } }
  latest: posts(
    last: 1
  ) { nodes { ...F } }
}
fragment F on Post { tags { name } }
fragment G on Post { ...G }`;

const textsOf = (places) => places.map(({ start, end }) => TEXT.slice(start, end));

test("a path has the places of its field, in fragments too", () => {
  const places = placesIn(TEXT, "Two");
  assert.deepEqual(textsOf(placesOf(places, ["posts"])), ["posts(first: $n)"]);
  assert.deepEqual(textsOf(placesOf(places, ["latest"])), ["latest: posts"]);
  assert.deepEqual(textsOf(placesOf(places, ["latest.nodes.tags"])), ["tags"]);
  assert.deepEqual(textsOf(placesOf(places, ["posts.nodes.slug"])), ["slug"]);
  assert.deepEqual(textsOf(placesIn(TEXT, "One")), ["other: archive(year: 2024)", "month"]);
  assert.deepEqual(pathsAt(places, TEXT.indexOf("latest") + 2), ["latest"]);
  assert.deepEqual(pathsAt(places, TEXT.indexOf("query Two")), []);
});

test("a field of a fragment has each path at which the fragment is used", () => {
  const places = placesIn(TEXT, "Two");
  assert.deepEqual(pathsAt(places, TEXT.indexOf("tags {")), ["posts.nodes.tags", "latest.nodes.tags"]);
});

test("a long key is cut off as in the plan", () => {
  const [place] = placesIn(`{ ${"a".repeat(70)}: posts { totalCount } }`);
  assert.equal(place.path, `${"a".repeat(64)}…`);
});

test("fragments that multiply have a bounded number of places", () => {
  const chain = (of) => Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ${of(`...F${n + 1}`)} }`).join(" ");
  const last = "fragment F40 on Query { viewer { name } }";
  // Twice at the same path, which is the same field.
  assert.equal(placesIn(`{ ...F0 } ${chain((next) => `${next} ${next}`)} ${last}`).length, 2);
  assert.equal(placesIn(`{ ...F0 } ${chain((next) => `a: x { ${next} } b: x { ${next} }`)} ${last}`).length, 10_000);
});

test("a path that is not in the text gives the nearest field above it", () => {
  const places = placesIn(TEXT, "Two");
  assert.deepEqual(textsOf(placesOf(places, ["posts.nodes.authors.name"])), ["nodes"]);
  assert.deepEqual(placesOf(places, ["nothing"]), []);
});

test("a fragment that includes itself, and a text that does not parse, end", () => {
  assert.equal(placesIn("{ posts { ...G } } fragment G on Post { id ...G }").length, 2);
  assert.deepEqual(placesIn("query {"), []);
});
