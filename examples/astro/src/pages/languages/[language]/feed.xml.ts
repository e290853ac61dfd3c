// The Atom feed of a language, if all posts have a language of their own.
import type { APIContext } from "astro";
import { addressOf } from "../../../lib/addresses";
import { feed } from "../../../lib/feed";
import { content } from "../../../tidings/content";

export async function getStaticPaths() {
  const { newest } = await content();
  return newest.filter((list) => list.feed !== addressOf.feed).map(({ language }) => ({ params: { language: language.toLowerCase() } }));
}

export async function GET({ params }: APIContext) {
  return feed(`/languages/${params["language"]}/feed.xml`);
}
