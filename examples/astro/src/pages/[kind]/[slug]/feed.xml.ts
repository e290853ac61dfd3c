// The Atom feed of a category, a tag or an author.
import type { APIContext } from "astro";
import { KINDS } from "../../../lib/addresses";
import { feed } from "../../../lib/feed";
import { content } from "../../../tidings/content";

export async function getStaticPaths() {
  const { terms } = await content();
  return KINDS.flatMap((kind) => terms[kind].map(({ slug }) => ({ params: { kind, slug } })));
}

export async function GET({ params }: APIContext) {
  return feed(`/${params["kind"]}/${params["slug"]}/feed.xml`);
}
