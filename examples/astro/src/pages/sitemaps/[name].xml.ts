import type { APIContext } from "astro";
import { parts } from "../../lib/sitemap";

export async function getStaticPaths() {
  return [...(await parts())].map(([name, text]) => ({ params: { name: name.replace(/\.xml$/, "") }, props: { text } }));
}

export function GET({ props }: APIContext<{ text: string }>) {
  return new Response(props.text, { headers: { "Content-Type": "application/xml" } });
}
