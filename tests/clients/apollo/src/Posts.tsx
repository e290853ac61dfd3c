// A list that loads one more page with each press. The rule: the cursor comes from the server, and the cache merges the pages.
import { useQuery } from '@apollo/client/react';
import { POSTS } from './documents';

export function Posts({ tag }: { tag?: string }) {
  const filter = tag ? { tags: { all: [tag] } } : undefined;
  const { data, error, fetchMore } = useQuery(POSTS, { variables: { first: 5, filter } });
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p>Loading …</p>;
  const { edges, pageInfo, totalCount } = data.posts;
  return (
    <>
      <p>{`${edges.length} of ${totalCount}`}</p>
      <ol>{edges.map(({ node }) => <li key={node.id}>{node.slug}</li>)}</ol>
      {pageInfo.hasNextPage && (
        <button onClick={() => fetchMore({ variables: { after: pageInfo.endCursor } })}>More</button>
      )}
    </>
  );
}
