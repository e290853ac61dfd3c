// Drafts, scheduled posts, and the posts that were published last: the start of each list.
import type { ReactNode } from "react";
import { useQuery } from "urql";
import { DeskQuery } from "../documents";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { canWrite, useSession } from "../session";
import { Page } from "../ui/page";
import { Empty, Failed, Loading } from "../ui/states";
import { idsOfKeptTexts } from "../writing/kept-text";
import { signedInAs } from "../writing/words";
import { Finder } from "./finder";
import { PostItems } from "./post-items";

export function Desk() {
  const { viewer } = useSession();
  const [{ data, error }, again] = useQuery({ query: DeskQuery, variables: {}, requestPolicy: "cache-and-network" });
  const hasNew = idsOfKeptTexts().includes("new post");
  return (
    <Page
      title="Your desk"
      intro={viewer ? `Signed in as ${signedInAs(viewer)}.` : undefined}
      action={
        canWrite(viewer) ? (
          <Link to={addressOf.newPost} className="button main">
            {hasNew ? "Go on with the new post" : "Write a post"}
          </Link>
        ) : null
      }
    >
      <Finder type="POST" name="Find a post">
        {error && !(data?.draftPosts && data.scheduledPosts) ? <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} /> : null}
        {data ? (
          <div className="desk">
            <div>
              <Group name="Drafts" list="drafts" empty="No drafts." found={data.draftPosts} />
              <Group name="Scheduled" list="scheduled" empty="Nothing is scheduled." found={data.scheduledPosts} />
            </div>
            <Group name="Published last" list="published" empty="Nothing has been published yet." found={data.posts} />
          </div>
        ) : null}
        {!data && !error ? <Loading what="your desk" /> : null}
      </Finder>
    </Page>
  );
}

interface GroupProps {
  name: string;
  list: "drafts" | "scheduled" | "published";
  empty: ReactNode;
  found: { nodes: Parameters<typeof PostItems>[0]["posts"]; totalCount: number } | null | undefined;
}

function Group({ name, list, empty, found }: GroupProps) {
  if (!found) return null;
  return (
    <section className="post-group" aria-label={name}>
      <h2>
        {name} <span className="count">{found.totalCount}</span>
      </h2>
      {found.nodes.length === 0 ? <Empty>{empty}</Empty> : <PostItems posts={found.nodes} />}
      {found.totalCount > found.nodes.length ? (
        <p className="more">
          <Link to={addressOf.posts(list)}>All {found.totalCount}</Link>
        </p>
      ) : null}
    </section>
  );
}
