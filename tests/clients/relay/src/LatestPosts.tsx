// All posts, one more page with each press, or the posts with a tag. The rule: a connection is identified by its arguments, so that each filter
// has a list of its own.
import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import type { LatestPosts_query$key } from './__generated__/LatestPosts_query.graphql';
import type { LatestPostsNext } from './__generated__/LatestPostsNext.graphql';
import type { LatestPostsQuery } from './__generated__/LatestPostsQuery.graphql';
import { PostLine } from './PostLine';

export function LatestPosts() {
  const query = useLazyLoadQuery<LatestPostsQuery>(
    graphql`
      query LatestPostsQuery {
        ...LatestPosts_query
      }
    `,
    {},
  );
  const { data, hasNext, loadNext, refetch } = usePaginationFragment<LatestPostsNext, LatestPosts_query$key>(
    graphql`
      fragment LatestPosts_query on Query
      @refetchable(queryName: "LatestPostsNext")
      @argumentDefinitions(
        first: { type: "Int", defaultValue: 5 }
        after: { type: "String" }
        filter: { type: "PostFilter" }
      ) {
        posts(first: $first, after: $after, filter: $filter) @connection(key: "LatestPosts_posts") {
          edges {
            node { id ...PostLine_post }
          }
        }
      }
    `,
    query,
  );
  return (
    <>
      <ol>{data.posts.edges.map(({ node }) => <PostLine key={node.id} post={node} />)}</ol>
      {hasNext && <button onClick={() => loadNext(5)}>More</button>}
      <button onClick={() => refetch({ filter: { tags: { all: ['moon'] } } })}>Moon</button>
    </>
  );
}
