// Drafts, scheduled posts, and the posts that were published last.
import type { ReactNode } from "react";
import { useQuery } from "urql";
import type { DeskItemFragment } from "../gql/graphql";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { useSession } from "../session/session";
import { Page } from "../ui/page";
import { Empty, Failed, Loading } from "../ui/states";
import { Minute } from "../ui/time";
import { DeskQuery } from "./documents";
import { SignIn } from "./sign-in";
import { removeText, idsOfKeptTexts } from "./kept-text";
import { signedInAs } from "./words";

export function Desk() {
  const [{ data, error }, again] = useQuery({ query: DeskQuery, variables: {}, requestPolicy: "cache-and-network" });
  const kept = idsOfKeptTexts();
  // What was typed is kept until the next sign-in.
  if (error && failureOf(error).code === "UNAUTHENTICATED") return <SignIn isExpired />;
  return (
    <Page title="Your desk" kind="For writers" intro={data?.viewer ? `Signed in as ${signedInAs(data.viewer)}.` : undefined}>
      <p className="actions">
        {data?.viewer?.role === "READER" ? null : (
          <Link to={addressOf.newPost} className="button main">
            {kept.includes("new") ? "Go on with the new post" : "Write a post"}
          </Link>
        )}
        <SignOut kept={kept} />
      </p>
      {error && !(data?.draftPosts && data.scheduledPosts) ? <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} /> : null}
      {data ? (
        <div className="desk">
          {data.draftPosts ? (
            <PostGroup name="Drafts" count={data.draftPosts.totalCount} empty="No drafts.">
              {items(data.draftPosts.nodes, kept, (post) => (
                <>
                  changed <Minute at={post.updatedAt} />
                </>
              ))}
            </PostGroup>
          ) : null}
          {data.scheduledPosts ? (
            <PostGroup name="Scheduled" count={data.scheduledPosts.totalCount} empty="Nothing is scheduled.">
              {items(data.scheduledPosts.nodes, kept, (post) => (
                <>to be published {post.publishedAt == null ? "soon" : <Minute at={post.publishedAt} />}</>
              ))}
            </PostGroup>
          ) : null}
          <PostGroup name="Published last" empty="Nothing has been published yet.">
            {items(data.posts.nodes, kept, (post) => (
              <>published {post.publishedAt == null ? "" : <Minute at={post.publishedAt} />}</>
            ))}
          </PostGroup>
        </div>
      ) : null}
      {!data && !error ? <Loading what="your desk" /> : null}
    </Page>
  );
}

function SignOut({ kept }: { kept: string[] }) {
  const { signOut } = useSession();
  const leave = () => {
    const warning = "There is text that you have not saved. If you sign out, it is deleted.";
    if (kept.length > 0 && !window.confirm(warning)) return;
    kept.forEach(removeText);
    signOut();
  };
  return (
    <button type="button" className="button quiet" onClick={leave}>
      Sign out
    </button>
  );
}

interface PostGroupProps {
  name: string;
  count?: number;
  empty: string;
  children: ReactNode[];
}

function PostGroup({ name, count, empty, children }: PostGroupProps) {
  return (
    <section className="post-group" aria-label={name}>
      <h2>
        {name} {count === undefined ? null : <span className="count">{count}</span>}
      </h2>
      {children.length === 0 ? <Empty>{empty}</Empty> : <ul>{children}</ul>}
    </section>
  );
}

function items(posts: DeskItemFragment[], kept: string[], when: (post: DeskItemFragment) => ReactNode): ReactNode[] {
  return posts.map((post) => (
    <li key={post.id}>
      <Link to={addressOf.edit(post.id)}>{post.title}</Link>
      <span className="count">{when(post)}</span>
      {kept.includes(post.id) ? <span className="badge">not saved</span> : null}
    </li>
  ));
}
