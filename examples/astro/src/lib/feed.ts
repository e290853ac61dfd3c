// Feeds are those of the server, which knows the addresses of the site. docs/feeds.md says what they have.
import { file } from "../tidings/client";

export async function feed(path: string): Promise<Response> {
  const found = await file(path);
  if (!found) throw new Error(`The server has no feed at ${path}.`);
  return new Response(await found.text(), { headers: { "Content-Type": "application/atom+xml; charset=utf-8" } });
}
