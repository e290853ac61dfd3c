// What a page says of itself to search engines, in the vocabulary of schema.org as JSON-LD.
import { addressOf } from "./addresses";
import type { Author, Document, Post, Site } from "../tidings/content";
import { above } from "../tidings/content";

const CONTEXT = "https://schema.org";

export function absolute(site: Site, address: string): string {
  return new URL(address, site.url).href;
}

export function website(site: Site) {
  return { "@context": CONTEXT, "@type": "WebSite", name: site.name, url: site.url, description: site.description ?? undefined, inLanguage: site.language };
}

export function blogPosting(site: Site, post: Post) {
  const url = absolute(site, addressOf.post(post.slug));
  return {
    "@context": CONTEXT,
    "@type": "BlogPosting",
    headline: post.title,
    description: post.excerpt || undefined,
    url,
    mainEntityOfPage: { "@type": "WebPage", "@id": url },
    datePublished: post.publishedAt,
    dateModified: post.updatedAt > post.publishedAt ? post.updatedAt : post.publishedAt,
    inLanguage: post.language,
    image: post.cover ? [absolute(site, post.cover.src)] : undefined,
    author: post.authors.map((author) => person(site, author)),
    publisher: { "@type": "Organization", name: site.name, url: site.url },
    articleSection: post.categories.map(({ name }) => name),
    keywords: post.tags.map(({ name }) => name),
    wordCount: post.body.wordCount,
  };
}

export function person(site: Site, author: Author) {
  return {
    "@type": "Person",
    name: author.name,
    url: absolute(site, addressOf.term("authors", author.slug)),
    jobTitle: author.jobTitle ?? undefined,
    image: author.avatar ? absolute(site, author.avatar.src) : undefined,
    sameAs: [...(author.url === null ? [] : [author.url]), ...author.links.map(({ url }) => url)],
  };
}

export function profilePage(site: Site, author: Author) {
  return { "@context": CONTEXT, "@type": "ProfilePage", mainEntity: { ...person(site, author), description: author.about ?? undefined } };
}

export function breadcrumbs(site: Site, document: Document) {
  return {
    "@context": CONTEXT,
    "@type": "BreadcrumbList",
    itemListElement: [...above(document), document].map(({ path, title }, place) => ({
      "@type": "ListItem",
      position: place + 1,
      name: title,
      item: absolute(site, addressOf.document(path)),
    })),
  };
}
