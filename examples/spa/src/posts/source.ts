// The source of a list of posts: a query that takes `first` and `after`, and a function that finds the connection in its answer.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { PageOfPostsFragment, PostFilter, PostsQuery as Posts } from "../gql/graphql";
import { PostsQuery } from "./documents";

export const PAGE_SIZE = 8;

export interface Paging {
  first: number;
  after: string | null;
}

export interface Source<Data, Asked extends object> {
  query: TypedDocumentNode<Data, Asked & Paging>;
  asked: Asked;
  connectionOf: (data: Data) => PageOfPostsFragment | null | undefined;
}

export function postsBy(filter: PostFilter | null): Source<Posts, { filter: PostFilter | null }> {
  return { query: PostsQuery, asked: { filter }, connectionOf: (data) => data.posts };
}
