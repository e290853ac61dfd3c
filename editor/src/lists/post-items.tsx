// Posts with what a writer wants to know of each: when, and whether this browser has text of it that is not saved.
import type { DeskItemFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Minute } from "../ui/time";
import { idsOfKeptTexts } from "../writing/kept-text";

export function PostItems({ posts }: { posts: DeskItemFragment[] }) {
  const kept = idsOfKeptTexts();
  return (
    <ul className="items">
      {posts.map((post) => (
        <li key={post.id}>
          <Link to={addressOf.edit(post.id)}>{post.title}</Link>
          <span className="count">
            <When post={post} />
          </span>
          {kept.includes(post.id) ? <span className="badge">not saved</span> : null}
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
