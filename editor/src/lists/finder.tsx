// A search in posts or pages of all states, above a list or to choose one. The rule: while there are words in the field, what has them takes the place of the
// list.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { graphql } from "../gql";
import type { ContentType, DeskItemFragment, FindQuery as Answer, PageItemFragment } from "../gql/graphql";
import { keepNote, noteOf, usePlace } from "../routing/place";
import { PageItem } from "./page-item";
import { Paged } from "./paged";
import { PostItems } from "./post-items";

const FindQuery = graphql(`
  query Find($text: String!, $types: [ContentType!]!, $first: Int, $after: String) {
    search(query: $text, types: $types, first: $first, after: $after) {
      edges {
        node {
          id
          ...DeskItem
          ...PageItem
        }
        highlights {
          field
          html
        }
      }
      suggestion
      pageInfo {
        hasPreviousPage
        ...Following
      }
    }
  }
`);

const NOTE = "find";
/** The server is asked after such a pause. */
const PAUSE_MS = 200;

type Found = Answer["search"]["edges"][number]["node"];

interface Props {
  type: ContentType;
  name: string;
  children?: ReactNode;
  /** What is to be done with one that is found. */
  renderActions?: (found: Found) => ReactNode;
}

export function Finder(props: Props) {
  // A link to the same list shows the list again.
  return <FinderOfPlace key={usePlace().key} {...props} />;
}

function FinderOfPlace({ type, name, children, renderActions }: Props) {
  const [typed, setTyped] = useState(() => noteOf<string>(NOTE) ?? "");
  const [text, setText] = useState(typed);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const next = typed.trim();
    if (next === text) return;
    const waiting = window.setTimeout(() => {
      setText(next);
      keepNote(NOTE, next);
    }, PAUSE_MS);
    return () => window.clearTimeout(waiting);
  }, [typed, text]);
  const take = (suggestion: string) => {
    setTyped(suggestion);
    field.current?.focus();
  };
  return (
    <>
      <div className="field finder" role="search">
        <input
          ref={field}
          type="search"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          // It can be within the form of a post.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          placeholder={`${name} by its words`}
          aria-label={name}
          autoComplete="off"
          maxLength={200}
        />
      </div>
      {text === "" ? (
        children
      ) : (
        <section className="post-group" aria-label="Found">
          <Paged query={FindQuery} asked={{ text, types: [type] }} connectionOf={({ search }) => ({ ...search, nodes: search.edges })}>
            {(edges, { search }) => (
              <>
                {search.pageInfo.hasPreviousPage ? null : <Outcome count={edges.length} search={search} onTake={take} />}
                <Edges edges={edges} renderActions={renderActions} />
              </>
            )}
          </Paged>
        </section>
      )}
    </>
  );
}

type Search = Answer["search"];

function Outcome({ count, search: { suggestion, pageInfo }, onTake }: { count: number; search: Search; onTake: (suggestion: string) => void }) {
  return (
    <>
      <p className="hint none" role="status">
        {count === 0 ? "Nothing has these words." : count === 1 ? "1 found" : pageInfo.hasNextPage ? `The best ${count}` : `${count} found`}
      </p>
      {suggestion == null ? null : (
        <p>
          Did you mean
          <button type="button" className="button quiet" onClick={() => onTake(suggestion)}>
            {suggestion}?
          </button>
        </p>
      )}
    </>
  );
}

function Edges({ edges, renderActions }: { edges: Search["edges"]; renderActions: Props["renderActions"] }) {
  const part = (id: string) => {
    const edge = edges.find(({ node }) => node.id === id);
    const html = edge?.highlights.find(({ field }) => field === "BODY")?.html;
    return (
      <>
        {html === undefined ? null : <p className="part" dangerouslySetInnerHTML={{ __html: html }} />}
        {edge && renderActions?.(edge.node)}
      </>
    );
  };
  const nodes = edges.map(({ node }) => node);
  const posts = nodes.filter((node): node is DeskItemFragment => "updatedAt" in node);
  const pages = nodes.filter((node): node is PageItemFragment => "path" in node);
  return (
    <>
      {posts.length > 0 ? <PostItems posts={posts} found={part} /> : null}
      {pages.length > 0 ? (
        <ul className="items">
          {pages.map((page) => (
            <PageItem key={page.id} page={page}>
              {part(page.id)}
            </PageItem>
          ))}
        </ul>
      ) : null}
    </>
  );
}
