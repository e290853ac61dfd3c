import { addressOf } from "../lib/addresses";
import { absolute } from "../lib/structured";
import { content } from "../tidings/content";

export async function GET() {
  const { site } = await content();
  return new Response(`User-agent: *\nAllow: /\n\nSitemap: ${absolute(site, addressOf.sitemap)}\n`);
}
