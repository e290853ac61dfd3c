// How a post or page looks in the results of a search engine, and as a link in messages and social networks: an estimate, which follows what is typed.
import { useQuery } from "urql";
import { graphql } from "../gql";
import { onServer } from "../media/address";
import { positionOf } from "../media/focal-point";
import type { Edited, Values } from "./values";

const SiteQuery = graphql(`
  query SiteOfCards {
    site {
      url
      name
      image {
        id
        url(width: 640)
      }
    }
  }
`);

/** What search engines usually show. */
const TITLE_MAX = 60;
const TEXT_MAX = 160;

export function LinkCards({ content, values }: { content: Edited | null; values: Values }) {
  const [{ data }] = useQuery({ query: SiteQuery, variables: {} });
  const site = data?.site;
  const address = addressOf(content, values, site?.url ?? null);
  const title = values.title.trim() === "" ? "Without a title" : values.title.trim();
  const text = values.excerpt.trim() === "" ? (content?.excerpt ?? "") : values.excerpt.trim();
  const { cover } = values;
  const picture = cover ? onServer(cover.url) : site?.image ? onServer(site.image.url) : null;
  return (
    <details className="link-cards">
      <summary>Search engines and links</summary>
      <div className="snippet" role="group" aria-label="In a search engine">
        <p className="hint">{address.crumbs}</p>
        <p className="snippet-title" dir="auto">
          {cut(title, TITLE_MAX)}
        </p>
        <p className="hint" dir="auto">
          {cut(text, TEXT_MAX)}
        </p>
      </div>
      {title.length > TITLE_MAX ? <p className="hint">The title has {title.length} characters; search engines cut it at some {TITLE_MAX}.</p> : null}
      {text === "" ? <p className="hint">The summary is made from the text when you save.</p> : null}
      <div className="link-card" role="group" aria-label="As a link in messages">
        {picture === null ? (
          <p className="no-picture hint">Without a cover, the link has no picture.</p>
        ) : (
          <img src={picture} alt="" style={{ objectPosition: positionOf(cover?.focalPoint) }} />
        )}
        <div>
          <p className="hint">{address.host}</p>
          <p className="snippet-title" dir="auto">
            {title}
          </p>
          <p className="hint" dir="auto">
            {cut(text, TEXT_MAX)}
          </p>
        </div>
      </div>
    </details>
  );
}

/** A draft has no address yet: the site decides where its posts are, so only their last part is known. */
function addressOf(content: Edited | null, values: Values, site: string | null): { host: string; crumbs: string } {
  const known = content?.canonicalUrl ?? null;
  const url = known ?? site;
  if (url === null) return { host: "your-site.example", crumbs: `your-site.example › ${last(values)}` };
  const { host, pathname } = new URL(url);
  const parts = known === null ? ["…", last(values)] : pathname.split("/").filter((part) => part !== "");
  return { host, crumbs: [host, ...parts].join(" › ") };
}

function last({ path, slug }: Values): string {
  return path || slug || "…";
}

function cut(text: string, max: number): string {
  const letters = [...text];
  return letters.length <= max ? text : `${letters.slice(0, max - 1).join("").trimEnd()}…`;
}
