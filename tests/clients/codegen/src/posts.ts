// The documents of a small front end. The rule: a component reads only the fields of its own fragment.
import { type FragmentType, graphql, readFragment } from '../generated/gql';

export const PostCard = graphql(`
  fragment PostCard on Post {
    id
    title
    publishedAt
    status
    author { name }
  }
`);

export const LatestPosts = graphql(`
  query LatestPosts($first: Int!, $after: String, $filter: PostFilter) {
    posts(first: $first, after: $after, filter: $filter) {
      nodes { slug ...PostCard }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
`);

export const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      post { id slug version status }
      userErrors { code field message }
    }
  }
`);

export function headline(masked: FragmentType<typeof PostCard>): string {
  const post = readFragment(PostCard, masked);
  const day = post.publishedAt?.slice(0, 10) ?? 'not yet';
  return `${day}: ${post.title}, by ${post.author?.name ?? 'nobody'}`;
}
