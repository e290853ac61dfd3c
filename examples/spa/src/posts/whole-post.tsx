// A post on its own page.
import type { ReactNode } from "react";
import type { WholePostFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { marked } from "../ui/languages";
import { Day } from "../ui/time";
import { localeOf, wordsOf } from "../ui/words";
import { Contents } from "./contents";
import { Cover } from "./cover";
import { Names } from "./names";
import { PostBody } from "./post-body";

interface Props {
  post: WholePostFragment;
  notice?: ReactNode;
  /** The same post in other languages. */
  languages?: ReactNode;
  children?: ReactNode;
}

export function WholePost({ post, notice, languages, children }: Props) {
  const words = wordsOf(post.language);
  const minutes = post.body.readingMinutes.toLocaleString(localeOf(post.language), { style: "unit", unit: "minute", unitDisplay: "long" });
  return (
    <article className="page whole" {...marked(post.language)}>
      {notice}
      <header className="page-head">
        <p className="kind">
          <Names label={words.in} items={post.categories} address={addressOf.category} />
        </p>
        <h1>{post.title}</h1>
        {post.subtitle == null ? null : <p className="subtitle">{post.subtitle}</p>}
        <p className="byline">
          <Names label={words.by} items={post.authors} address={addressOf.author} />
          {post.publishedAt == null ? <span>Draft</span> : <Day at={post.publishedAt} language={post.language} />}
          <span>{words.toRead(minutes)}</span>
        </p>
        {languages}
      </header>
      {post.cover ? <Cover picture={post.cover} sizes="(min-width: 46rem) 42rem, 100vw" isFirst /> : null}
      <Contents headings={post.body.headings} title={words.contents} />
      <PostBody html={post.body.html} words={words} />
      <footer className="whole-foot">
        <Names className="tags" label={words.tags} items={post.tags} address={addressOf.tag} />
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
