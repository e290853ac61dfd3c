// Where the fields of a query are in its text. The rule: a path has no list indexes, as in the plan, and a field in a fragment has a place for each path.
import { parse } from "graphql";

/** More fields than a query has that the server accepts. Fragments that include each other can multiply beyond that; then the rest is not lit. */
const PLACES_MAX = 10_000;
/** The characters of a key that the plan shows. */
const KEY_CHARS_MAX = 64;

/**
 * The fields of an operation: each with its path and its place in the text, from its alias or name to the end of its arguments. Empty if the text does
 * not parse.
 */
export function placesIn(text, operationName) {
  let definitions;
  try {
    definitions = parse(text).definitions;
  } catch {
    return [];
  }
  const fragments = new Map(definitions.filter(({ kind }) => kind === "FragmentDefinition").map((one) => [one.name.value, one]));
  const operations = definitions.filter(({ kind }) => kind === "OperationDefinition");
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  const places = [];
  // A fragment has the same fields each time that it is included at one path.
  const included = new Set();
  if (operation) collect(operation.selectionSet, "", []);
  return places;

  function collect(selectionSet, path, within) {
    for (const selection of selectionSet?.selections ?? []) {
      if (places.length >= PLACES_MAX) return;
      if (selection.kind === "Field") {
        const key = shownKey((selection.alias ?? selection.name).value);
        const below = path ? `${path}.${key}` : key;
        places.push({ path: below, start: selection.loc.start, end: endOfHead(selection, text) });
        collect(selection.selectionSet, below, within);
      } else if (selection.kind === "InlineFragment") {
        collect(selection.selectionSet, path, within);
      } else {
        const name = selection.name.value;
        if (within.includes(name) || included.has(`${name} ${path}`)) continue;
        included.add(`${name} ${path}`);
        collect(fragments.get(name)?.selectionSet, path, [...within, name]);
      }
    }
  }
}

/** A key as the plan writes it. */
const shownKey = (key) => (key.length > KEY_CHARS_MAX ? `${key.slice(0, KEY_CHARS_MAX)}…` : key);

/** The end of the name and the arguments; of the name alone if the arguments are on several lines. */
function endOfHead(field, text) {
  const last = field.arguments?.at(-1);
  if (!last) return field.name.loc.end;
  const end = text.indexOf(")", last.loc.end) + 1;
  return end > 0 && !text.slice(field.loc.start, end).includes("\n") ? end : field.name.loc.end;
}

const indexes = new WeakMap();

/** The places by their paths. */
function indexOf(places) {
  const known = indexes.get(places);
  if (known) return known;
  const index = new Map();
  for (const place of places) {
    if (!index.has(place.path)) index.set(place.path, []);
    index.get(place.path).push(place);
  }
  indexes.set(places, index);
  return index;
}

/** The places of these paths. A path that the text does not have gives the nearest field above it. */
export function placesOf(places, paths) {
  const index = indexOf(places);
  const found = new Set();
  for (let path of paths) {
    while (path && !index.has(path)) path = path.slice(0, Math.max(0, path.lastIndexOf(".")));
    for (const place of index.get(path) ?? []) found.add(place);
  }
  return [...found];
}

/** The paths of the field at this offset of the text: several if it is in a fragment that is used at several paths. */
export const pathsAt = (places, offset) => [...new Set(places.filter(({ start, end }) => start <= offset && offset <= end).map(({ path }) => path))];
