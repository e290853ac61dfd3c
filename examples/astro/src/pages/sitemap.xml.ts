import { index } from "../lib/sitemap";

export async function GET() {
  return new Response(await index(), { headers: { "Content-Type": "application/xml" } });
}
