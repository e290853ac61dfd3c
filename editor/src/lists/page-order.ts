// The positions of pages after one was moved. The rule: as few pages as possible get another one, so new ones are far apart.
interface Ordered {
  id: string;
  order?: number | null;
}

const GAP = 100;

/** The new positions by id. `list`: all pages of a level as they shall be; only the one at `moved` is not where its position puts it. */
export function newOrders(list: Ordered[], moved: number): Map<string, number> {
  for (let size = 1; size < list.length; size += 1) {
    for (let from = Math.min(moved, list.length - size); from >= Math.max(0, moved - size + 1); from -= 1) {
      const orders = between(list[from - 1], list[from + size], size);
      if (orders) return new Map(orders.map((order, place) => [list[from + place]?.id ?? "", order]));
    }
  }
  return new Map(list.map(({ id }, place) => [id, (place + 1) * GAP]));
}

/** Positions between two pages, if there is place for so many. Pages without a position come last. */
function between(before: Ordered | undefined, after: Ordered | undefined, size: number): number[] | null {
  const low = before?.order ?? null;
  const high = after?.order ?? null;
  if (before && low === null) return null;
  const places = Array.from({ length: size }, (_, place) => place + 1);
  if (high === null) return places.map((place) => (low ?? 0) + place * GAP);
  if (low === null) return places.map((place) => high - (size + 1 - place) * GAP);
  const step = (high - low) / (size + 1);
  return step < 1 ? null : places.map((place) => low + Math.floor(place * step));
}
