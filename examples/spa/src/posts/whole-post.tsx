// A post on its own page.
import type { ReactNode } from "react";
import type { WholePostFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Day } from "../ui/time";
import { Contents } from "./contents";
import { Cover } from "./cover";
import { Names } from "./names";
import { PostBody } from "./post-body";

interface Props {
  post: WholePostFragment;
  notice?: ReactNode;
  children?: ReactNode;
}

export function WholePost({ post, notice, children }: Props) {
  const minutes = post.body.readingMinutes;
  return (
    <article className="page whole" lang={post.language ?? undefined}>
      {notice}
      <header className="page-head">
        <p className="kind">
          <Names label="In" items={post.categories} address={addressOf.category} />
        </p>
        <h1>{post.title}</h1>
        {post.subtitle == null ? null : <p className="subtitle">{post.subtitle}</p>}
        <p className="byline">
          <Names label="By" items={post.authors} address={addressOf.author} />
          {post.publishedAt == null ? <span>Draft</span> : <Day at={post.publishedAt} />}
          <span>{minutes === 1 ? "1 minute" : `${minutes} minutes`} to read</span>
        </p>
      </header>
      {post.cover ? <Cover picture={post.cover} sizes="(min-width: 46rem) 42rem, 100vw" isFirst /> : null}
      <Contents headings={post.body.headings} />
      <PostBody html={post.body.html} />
      <footer className="whole-foot">
        <Names className="tags" label="Tags:" items={post.tags} address={addressOf.tag} />
      </footer>
      {children}
    </article>
  );
}

export function WholePostToCome() {
  return (
    <div className="page whole to-come">
      <p className="unseen" role="status">
        Loading the post …
      </p>
      <div className="page-head" aria-hidden="true">
        <span className="bar bar-short" />
        <span className="bar bar-headline" />
        <span className="bar bar-short" />
      </div>
      <div className="prose" aria-hidden="true">
        {Array.from({ length: 9 }, (_, line) => (
          <span className="bar" key={line} />
        ))}
      </div>
    </div>
  );
}
