// The collections, which the loader keeps between builds: their ids, and the query of an entry.
import { query } from "./client";
import {
  AuthorQuery,
  AuthorSlugsQuery,
  CategoryQuery,
  CategorySlugsQuery,
  PageQuery,
  PathsQuery,
  PostQuery,
  PostSlugsQuery,
  TagQuery,
  TagSlugsQuery,
} from "./documents";
import { all } from "./lists";

export const SOURCES = {
  posts: { ids: slugs(async (page) => (await query(PostSlugsQuery, page)).posts), entry: PostQuery },
  tags: { ids: slugs(async (page) => (await query(TagSlugsQuery, page)).tags), entry: TagQuery },
  categories: { ids: slugs(async (page) => (await query(CategorySlugsQuery, page)).categories), entry: CategoryQuery },
  authors: { ids: slugs(async (page) => (await query(AuthorSlugsQuery, page)).authors), entry: AuthorQuery },
  pages: { ids: () => pathsBelow(null), entry: PageQuery },
};

function slugs(read: Parameters<typeof all<{ slug: string }>>[0]) {
  return async () => (await all(read)).map(({ slug }) => slug);
}

/** A page comes before the pages below it. */
async function pathsBelow(parent: string | null): Promise<string[]> {
  const here = await all(async (page) => (await query(PathsQuery, { parent, ...page })).pages);
  const found: string[] = [];
  for (const { path, children } of here) {
    found.push(path, ...(children.nodes.length > 0 ? await pathsBelow(path) : []));
  }
  return found;
}
