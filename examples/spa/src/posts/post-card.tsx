// A post in a list, and its placeholder while it loads.
import type { PostCardFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { marked } from "../ui/languages";
import { Day } from "../ui/time";
import { wordsOf } from "../ui/words";
import { Cover } from "./cover";
import { Names } from "./names";
import { PAGE_SIZE } from "./source";

export function PostCard({ post }: { post: PostCardFragment }) {
  const words = wordsOf(post.language);
  return (
    <article className={post.cover ? "card pictured" : "card"} {...marked(post.language)}>
      <p className="card-date">
        {post.publishedAt == null ? "Draft" : <Day at={post.publishedAt} language={post.language} />}
        {post.featured ? <span className="featured">{words.featured}</span> : null}
      </p>
      <div className="card-text">
        <h2>
          <Link to={addressOf.post(post.slug)}>{post.title}</Link>
        </h2>
        <p className="excerpt">{post.excerpt}</p>
        <p className="card-foot">
          <Names label={words.by} items={post.authors} address={addressOf.author} />
          <Names className="tags" label={words.tags} items={post.tags} address={addressOf.tag} />
        </p>
      </div>
      {post.cover ? (
        // The title is the link to the post; a second one would be read out and reached by the keyboard twice.
        <Cover picture={post.cover} sizes="(min-width: 44rem) 22rem, 100vw" />
      ) : null}
    </article>
  );
}

export function CardsToCome() {
  return (
    <>
      <p className="unseen" role="status">
        Loading posts …
      </p>
      {Array.from({ length: PAGE_SIZE }, (_, place) => (
        <div className="card to-come" key={place} aria-hidden="true">
          <p className="card-date">
            <span className="bar" />
          </p>
          <div className="card-text">
            <span className="bar bar-title" />
            <span className="bar" />
            <span className="bar bar-short" />
          </div>
        </div>
      ))}
    </>
  );
}
