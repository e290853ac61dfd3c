// The languages of the site. The rule: a site whose posts have one language shows nothing of this.
import type { PostFilter, SiteQuery } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { SITE } from "../site";

/** A post, or a list, in one of its languages. */
interface Version {
  language: string;
  address: string;
  /** The whole address, if the server knows the site. */
  canonicalUrl?: string | null | undefined;
}

/** The newest posts of one language. */
interface Newest extends Version {
  filter: PostFilter | null;
}

/** One for each language of posts. The first is at the home page: that of the site. */
export function newestOf(site: SiteQuery["site"] | undefined): [Newest, ...Newest[]] {
  const own = site?.language ?? SITE.language;
  const languages = site?.languages ?? [];
  const list = (language: string, address: string): Newest => ({
    language,
    address,
    canonicalUrl: site?.url && new URL(address.slice(1), site.url).href,
    filter: languages.length > 1 && languages.includes(language) ? { languages: [language] } : null,
  });
  const others = languages.length > 1 ? languages.filter((language) => language !== own) : [];
  return [list(own, addressOf.latest), ...others.map((language) => list(language, addressOf.language(language)))];
}

/** That of the site first. */
export function byLanguage(own: string) {
  const isOther = (language: string) => Number(language !== own);
  return (a: Version, b: Version) => isOther(a.language) - isOther(b.language) || a.language.localeCompare(b.language);
}

/** Links to the same content in each of its languages, for readers and for search engines. The first stands in for languages that it does not have. */
export function Languages({ versions }: { versions: Version[] }) {
  if (versions.length < 2) return null;
  return (
    <>
      {[...versions, { ...versions[0], language: "x-default" }].map(({ language, canonicalUrl }) =>
        canonicalUrl ? <link key={language} rel="alternate" hrefLang={language} href={canonicalUrl} /> : null,
      )}
      <LanguageLinks label="Languages" versions={versions} />
    </>
  );
}

export function LanguageLinks({ label, versions }: { label: string; versions: Version[] }) {
  if (versions.length < 2) return null;
  return (
    <nav className="languages" aria-label={label}>
      {versions.map(({ language, address }) => (
        <Link key={language} to={address} hrefLang={language} {...marked(language)}>
          {nameOf(language)}
        </Link>
      ))}
    </nav>
  );
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Syrc", "Thaa"]);

/** The attributes of an element whose text has this language. */
export function marked(language: string | null | undefined): { lang?: string; dir?: "ltr" | "rtl" } {
  if (language == null) return {};
  const script = new Intl.Locale(language).maximize().script ?? "";
  return { lang: language, dir: RIGHT_TO_LEFT.has(script) ? "rtl" : "ltr" };
}

/** The name of a language in itself. */
function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
