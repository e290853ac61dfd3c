// Where the fields of a query are in its text. The rule: a path has no list indexes, as in the plan, and a field in a fragment has a place for each path.
import { parse } from "graphql";

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
  if (operation) collect(operation.selectionSet, [], []);
  return places;

  function collect(selectionSet, path, within) {
    for (const selection of selectionSet?.selections ?? []) {
      if (selection.kind === "Field") {
        const below = [...path, (selection.alias ?? selection.name).value];
        places.push({ path: below.join("."), start: selection.loc.start, end: endOfHead(selection, text) });
        collect(selection.selectionSet, below, within);
      } else if (selection.kind === "InlineFragment") {
        collect(selection.selectionSet, path, within);
      } else if (!within.includes(selection.name.value)) {
        collect(fragments.get(selection.name.value)?.selectionSet, path, [...within, selection.name.value]);
      }
    }
  }
}

/** The end of the name and the arguments; of the name alone if the arguments are on several lines. */
function endOfHead(field, text) {
  const last = field.arguments?.at(-1);
  if (!last) return field.name.loc.end;
  const end = text.indexOf(")", last.loc.end) + 1;
  return end > 0 && !text.slice(field.loc.start, end).includes("\n") ? end : field.name.loc.end;
}

/** The places of these paths. A path that the text does not have gives the nearest field above it. */
export function placesOf(places, paths) {
  const found = new Set();
  for (const path of paths) {
    const parts = path.split(".");
    while (parts.length > 0) {
      const here = places.filter((place) => place.path === parts.join("."));
      for (const place of here) found.add(place);
      if (here.length > 0) break;
      parts.pop();
    }
  }
  return [...found];
}

/** The path of the field at this offset of the text. */
export const pathAt = (places, offset) => places.find(({ start, end }) => start <= offset && offset <= end)?.path;
