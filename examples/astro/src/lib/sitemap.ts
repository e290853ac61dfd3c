// The sitemap: the parts that the server writes, without the addresses of series, because this site has no pages of them.
import { addressOf } from "./addresses";
import { absolute } from "./structured";
import { file } from "../tidings/client";
import { content } from "../tidings/content";

let loaded: Promise<Map<string, string>> | undefined;

/** The parts by the names of their files. */
export function parts(): Promise<Map<string, string>> {
  if (import.meta.env.DEV) return load();
  return (loaded ??= load());
}

export async function index(): Promise<string> {
  const { site } = await content();
  const entries = [...(await parts()).keys()].map((name) => `<sitemap><loc>${absolute(site, addressOf.file(`sitemaps/${name}`))}</loc></sitemap>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("")}</sitemapindex>\n`;
}

async function load(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const index = await (await file("/sitemap.xml"))?.text();
  for (const [, name] of (index ?? "").matchAll(/\/sitemaps\/([a-z0-9-]+\.xml)</g)) {
    const part = name === undefined ? null : await file(`/sitemaps/${name}`);
    if (name !== undefined && part) found.set(name, (await part.text()).replace(/<url><loc>[^<]*\/series\/[^<]*<\/loc><\/url>/g, ""));
  }
  return found;
}
