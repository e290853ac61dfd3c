// The pictures, in the widths that pages name. The server makes a width when it is first requested, and keeps it.
import type { APIContext } from "astro";
import { file } from "../../tidings/client";
import { content } from "../../tidings/content";
import { files } from "../../tidings/pictures";

export async function getStaticPaths() {
  await content();
  return [...files].map(([name, path]) => ({ params: { name }, props: { path } }));
}

export async function GET({ props }: APIContext<{ path: string }>) {
  const picture = await file(props.path);
  if (!picture) throw new Error(`The server has no picture at ${props.path}.`);
  return new Response(await picture.arrayBuffer(), { headers: { "Content-Type": picture.headers.get("content-type") ?? "application/octet-stream" } });
}
