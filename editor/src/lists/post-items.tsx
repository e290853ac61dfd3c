// Posts with what a writer wants to know of each: when, and whether this browser has text of it that is not saved.
import type { ReactNode } from "react";
import type { DeskItemFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { onServer } from "../media/address";
import { positionOf } from "../media/focal-point";
import { Link } from "../routing/link";
import { Minute } from "../ui/time";
import { idsOfKeptTexts } from "../writing/kept-text";

interface Props {
  posts: DeskItemFragment[];
  /** What a search shows of each besides. The list then has posts of all states. */
  found?: (id: string) => ReactNode;
  /** For a list whose posts can be chosen. */
  choice?: Choice | undefined;
}

export interface Choice {
  chosen: DeskItemFragment[];
  onToggle: (post: DeskItemFragment) => void;
}

export function PostItems({ posts, found, choice }: Props) {
  const kept = idsOfKeptTexts();
  return (
    <ul className="items with-covers">
      {posts.map((post) => (
        <li key={post.id}>
          {post.cover ? (
            <img src={onServer(post.cover.url)} alt="" width="72" height="54" loading="lazy" style={{ objectPosition: positionOf(post.cover.focalPoint) }} />
          ) : (
            <span className="no-cover" aria-hidden="true">
              {[...post.title.trim()][0]}
            </span>
          )}
          <Link to={addressOf.edit(post.id)}>{post.title}</Link>
          <span className="count">
            <When post={post} />
            {post.author ? ` by ${post.author.name}` : ""}
          </span>
          {found && post.status === "DRAFT" ? <span className="badge">draft</span> : null}
          {kept.includes(post.id) ? <span className="badge">not saved</span> : null}
          {found?.(post.id)}
          {choice ? (
            <input
              type="checkbox"
              className="pick"
              aria-label={`Choose ${post.title}`}
              checked={choice.chosen.some(({ id }) => id === post.id)}
              onChange={() => choice.onToggle(post)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function When({ post: { status, publishedAt, updatedAt } }: { post: DeskItemFragment }) {
  if (status === "DRAFT" || publishedAt == null) {
    return (
      <>
        changed <Minute at={updatedAt} />
      </>
    );
  }
  return (
    <>
      {status === "SCHEDULED" ? "to be published" : "published"} <Minute at={publishedAt} />
    </>
  );
}
