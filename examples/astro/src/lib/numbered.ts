// Lists in numbered pages, which have plain links, so that a crawler reaches every post.

export interface Numbered<Item> {
  items: Item[];
  number: number;
  last: number;
}

/** At least one page, also without items. */
export function numbered<Item>(items: Item[], size: number): Numbered<Item>[] {
  const last = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: last }, (_, index) => ({ items: items.slice(index * size, (index + 1) * size), number: index + 1, last }));
}
