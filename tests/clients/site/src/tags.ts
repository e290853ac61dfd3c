// The tag cloud: all tags that have published posts, with their number.
import type { ResultOf } from 'gql.tada';
import { graphql, type Client } from './client';

const TagCounts = graphql(`
  query TagCounts($after: String) {
    tags(first: 100, after: $after) {
      nodes { slug name postCount }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type TagPage = ResultOf<typeof TagCounts>['tags'];

export async function tagCloud(request: Client) {
  const tags: TagPage['nodes'] = [];
  for (let page: TagPage | undefined; !page || page.pageInfo.hasNextPage;) {
    page = (await request(TagCounts, { after: page?.pageInfo.endCursor })).tags;
    tags.push(...page.nodes.filter((tag) => tag.postCount > 0));
  }

  const highest = Math.max(...tags.map((tag) => tag.postCount));
  return tags.map((tag) => ({ ...tag, fontSize: `${1 + tag.postCount / highest}rem` }));
}
