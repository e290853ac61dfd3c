// All posts of one state.
import { DraftsQuery, PublishedQuery, ScheduledQuery } from "../documents";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";
import { Empty } from "../ui/states";
import { Finder } from "./finder";
import { Paged } from "./paged";
import { PostItems } from "./post-items";

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
        <section className="post-group" key={list}>
          <List list={list} />
        </section>
      </Finder>
    </Page>
  );
}

function List({ list }: { list: keyof typeof NAMES }) {
  const empty = <Empty>There are none.</Empty>;
  switch (list) {
    case "drafts":
      return (
        <Paged query={DraftsQuery} asked={{}} connectionOf={(data) => data.draftPosts} empty={empty}>
          {(posts) => <PostItems posts={posts} />}
        </Paged>
      );
    case "scheduled":
      return (
        <Paged query={ScheduledQuery} asked={{}} connectionOf={(data) => data.scheduledPosts} empty={empty}>
          {(posts) => <PostItems posts={posts} />}
        </Paged>
      );
    case "published":
      return (
        <Paged query={PublishedQuery} asked={{}} connectionOf={(data) => data.posts} empty={empty}>
          {(posts) => <PostItems posts={posts} />}
        </Paged>
      );
  }
}
