// The newest posts.
import { PostList } from "../posts/post-list";
import { postsBy } from "../posts/source";
import { SITE } from "../site";
import { Head } from "../ui/head";
import { useTitle } from "../ui/page";

const ALL = postsBy(null);

export function LatestPage() {
  useTitle("");
  return (
    <div className="page latest">
      <Head title={SITE.name} description={SITE.line} />
      <header className="masthead">
        <h1>{SITE.line}</h1>
      </header>
      <PostList source={ALL} empty="Nothing has been published yet." />
    </div>
  );
}
