// The posts of a tag. The rule: the next page is queried by the tag's global id, through `node`.
import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import type { TagPosts_tag$key } from './__generated__/TagPosts_tag.graphql';
import type { TagPostsNext } from './__generated__/TagPostsNext.graphql';
import type { TagPostsQuery } from './__generated__/TagPostsQuery.graphql';
import { PostLine } from './PostLine';

export function TagPosts({ slug }: { slug: string }) {
  const { tag } = useLazyLoadQuery<TagPostsQuery>(
    graphql`
      query TagPostsQuery($slug: String!) {
        tag(slug: $slug) { ...TagPosts_tag }
      }
    `,
    { slug },
  );
  return tag ? <Posts tag={tag} /> : <p>No such tag.</p>;
}

function Posts({ tag }: { tag: TagPosts_tag$key }) {
  const { data, hasNext, loadNext } = usePaginationFragment<TagPostsNext, TagPosts_tag$key>(
    graphql`
      fragment TagPosts_tag on Tag
      @refetchable(queryName: "TagPostsNext")
      @argumentDefinitions(first: { type: "Int", defaultValue: 2 }, after: { type: "String" }) {
        name
        posts(first: $first, after: $after) @connection(key: "TagPosts_posts") {
          edges {
            node { id ...PostLine_post }
          }
        }
      }
    `,
    tag,
  );
  return (
    <>
      <h1>{data.name}</h1>
      <ol>{data.posts.edges.map(({ node }) => <PostLine key={node.id} post={node} />)}</ol>
      {hasNext && <button onClick={() => loadNext(2)}>More</button>}
    </>
  );
}
