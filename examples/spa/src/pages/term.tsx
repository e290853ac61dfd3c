// A tag, a category or an author with its posts. The rule: one request returns the heading and the first page.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type ReactNode, useEffect, useMemo } from "react";
import { useQuery } from "urql";
import { graphql } from "../gql";
import type { PageOfPostsFragment } from "../gql/graphql";
import { PostList } from "../posts/post-list";
import { PAGE_SIZE, type Paging, type Source } from "../posts/source";
import { addressOf } from "../routing/addresses";
import { replaceWith } from "../routing/place";
import { Head } from "../ui/head";
import { Page, useTitle } from "../ui/page";
import { FailedView, Loading } from "../ui/states";
import { NotFoundPage } from "./not-found";

const TagQuery = graphql(`
  query TagWithPosts($slug: String!, $first: Int!, $after: String) {
    tag(slug: $slug) {
      id
      slug
      canonicalUrl
      name
      description
      posts(first: $first, after: $after) {
        ...PageOfPosts
      }
    }
  }
`);

const CategoryQuery = graphql(`
  query CategoryWithPosts($slug: String!, $first: Int!, $after: String) {
    category(slug: $slug) {
      id
      slug
      canonicalUrl
      name
      description
      posts(first: $first, after: $after) {
        ...PageOfPosts
      }
    }
  }
`);

const AuthorQuery = graphql(`
  query AuthorWithPosts($slug: String!, $first: Int!, $after: String) {
    author(slug: $slug) {
      id
      slug
      canonicalUrl
      name
      description
      url
      posts(first: $first, after: $after) {
        ...PageOfPosts
      }
    }
  }
`);

interface Term {
  slug: string;
  canonicalUrl?: string | null | undefined;
  name: string;
  posts: PageOfPostsFragment;
}

interface Kind<Data, Found extends Term> {
  name: string;
  query: TypedDocumentNode<Data, { slug: string } & Paging>;
  find: (data: Data) => Found | null | undefined;
  address: (slug: string) => string;
  about: (found: Found) => string | null | undefined;
  intro: (found: Found) => ReactNode;
}

export function TagPage({ slug }: { slug: string }) {
  return <TermPage slug={slug} kind={TAG} />;
}

export function CategoryPage({ slug }: { slug: string }) {
  return <TermPage slug={slug} kind={CATEGORY} />;
}

export function AuthorPage({ slug }: { slug: string }) {
  return <TermPage slug={slug} kind={AUTHOR} />;
}

const TAG = kindOf({
  name: "Tag",
  query: TagQuery,
  find: (data) => data.tag,
  address: addressOf.tag,
  about: (tag) => tag.description,
  intro: (tag) => tag.description,
});

const CATEGORY = kindOf({
  name: "Category",
  query: CategoryQuery,
  find: (data) => data.category,
  address: addressOf.category,
  about: (category) => category.description,
  intro: (category) => category.description,
});

const AUTHOR = kindOf({
  name: "Author",
  query: AuthorQuery,
  find: (data) => data.author,
  address: addressOf.author,
  about: (author) => author.description,
  intro: ({ description, url, name }) => (
    <>
      {description == null ? null : <p>{description}</p>}
      {url == null ? null : <a href={url}>{name} elsewhere</a>}
    </>
  ),
});

/** Exists only for its inferred types. */
function kindOf<Data, Found extends Term>(kind: Kind<Data, Found>): Kind<Data, Found> {
  return kind;
}

function TermPage<Data, Found extends Term>({ slug, kind }: { slug: string; kind: Kind<Data, Found> }) {
  const [{ data, error }, again] = useQuery({ query: kind.query, variables: { slug, first: PAGE_SIZE, after: null } });
  const source = useMemo(
    (): Source<Data, { slug: string }> => ({
      query: kind.query,
      asked: { slug },
      connectionOf: (answer) => kind.find(answer)?.posts,
    }),
    [kind, slug],
  );
  const found = data ? kind.find(data) : null;
  const present = found?.slug;
  useTitle(found?.name);
  useEffect(() => {
    if (present !== undefined && present !== slug) replaceWith(kind.address(present));
  }, [kind, present, slug]);

  if (error && !found) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <Loading what="posts" />;
  if (!found) return <NotFoundPage what={kind.name.toLowerCase()} />;
  return (
    <Page title={found.name} kind={kind.name} intro={kind.intro(found)}>
      <Head title={found.name} description={kind.about(found)} address={found.canonicalUrl} />
      <PostList source={source} empty="There is nothing here yet." />
    </Page>
  );
}
