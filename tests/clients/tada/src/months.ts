// The archive: the newest posts of each month. The rule: a line shows only fields of its fragment.
import { type FragmentOf, graphql, readFragment } from './graphql';

export const MonthPost = graphql(`
  fragment MonthPost on Post {
    slug
    title
    publishedAt
  }
`);

export const Archive = graphql(
  `
    query Archive($year: Int!, $first: Int!) {
      archive(year: $year) {
        month
        postCount
        posts(first: $first) { nodes { ...MonthPost } }
      }
    }
  `,
  [MonthPost],
);

export function line(masked: FragmentOf<typeof MonthPost>): string {
  const { slug, publishedAt } = readFragment(MonthPost, masked);
  return `${publishedAt?.slice(0, 10)} ${slug}`;
}
