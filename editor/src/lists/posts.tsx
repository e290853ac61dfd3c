// All posts of one state.
import { useState } from "react";
import { DraftsQuery, PublishedQuery, ScheduledQuery } from "../documents";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import type { DeskItemFragment } from "../gql/graphql";
import { canWrite, useSession } from "../session";
import { Page } from "../ui/page";
import { Empty } from "../ui/states";
import { Bulk } from "./bulk";
import { Finder } from "./finder";
import { Paged } from "./paged";
import { type Choice, PostItems } from "./post-items";

const NAMES = { drafts: "Drafts", scheduled: "Scheduled", published: "Published" } as const;

export function PostsPage({ search }: { search: string }) {
  const asked = new URLSearchParams(search).get("list");
  const list = asked === "scheduled" || asked === "published" ? asked : "drafts";
  return (
    <Page title={`Posts: ${NAMES[list].toLowerCase()}`}>
      <Finder type="POST" name="Find a post">
        <nav className="tabs" aria-label="Lists of posts">
          {(["drafts", "scheduled", "published"] as const).map((name) => (
            <Link key={name} to={addressOf.posts(name)}>
              {NAMES[name]}
            </Link>
          ))}
        </nav>
        <Choosing list={list} key={list} />
      </Finder>
    </Page>
  );
}

function Choosing({ list }: { list: keyof typeof NAMES }) {
  const { viewer } = useSession();
  const [chosen, setChosen] = useState<DeskItemFragment[]>([]);
  // The list is read again after a change.
  const [changes, setChanges] = useState(0);
  const onToggle = (post: DeskItemFragment) =>
    setChosen((before) => (before.some(({ id }) => id === post.id) ? before.filter(({ id }) => id !== post.id) : [...before, post]));
  const again = () => {
    setChosen([]);
    setChanges(changes + 1);
  };
  return (
    <>
      {chosen.length > 0 ? <Bulk posts={chosen} onDone={again} /> : null}
      <section className="post-group" key={changes}>
        <List list={list} choice={canWrite(viewer) ? { chosen, onToggle } : undefined} />
      </section>
    </>
  );
}

function List({ list, choice }: { list: keyof typeof NAMES; choice: Choice | undefined }) {
  const empty = <Empty>There are none.</Empty>;
  switch (list) {
    case "drafts":
      return (
        <Paged query={DraftsQuery} asked={{}} connectionOf={(data) => data.draftPosts} empty={empty}>
          {(posts) => <PostItems posts={posts} choice={choice} />}
        </Paged>
      );
    case "scheduled":
      return (
        <Paged query={ScheduledQuery} asked={{}} connectionOf={(data) => data.scheduledPosts} empty={empty}>
          {(posts) => <PostItems posts={posts} choice={choice} />}
        </Paged>
      );
    case "published":
      return (
        <Paged query={PublishedQuery} asked={{}} connectionOf={(data) => data.posts} empty={empty}>
          {(posts) => <PostItems posts={posts} choice={choice} />}
        </Paged>
      );
  }
}
