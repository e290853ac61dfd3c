// The posts of one month, by the calendar of UTC.
import { useMemo } from "react";
import { graphql } from "../gql";
import type { MonthQuery as MonthAnswer } from "../gql/graphql";
import { PostList } from "../posts/post-list";
import type { Source } from "../posts/source";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";
import { nameOfMonth } from "../ui/time";

const MonthQuery = graphql(`
  query Month($year: Int!, $month: Int!, $first: Int!, $after: String) {
    archive(year: $year, month: $month) {
      year
      month
      posts(first: $first, after: $after) {
        ...PageOfPosts
      }
    }
  }
`);

const NONE = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

export function MonthPage({ year, month }: { year: number; month: number }) {
  const source = useMemo(
    (): Source<MonthAnswer, { year: number; month: number }> => ({
      query: MonthQuery,
      asked: { year, month },
      connectionOf: (data) => data.archive[0]?.posts ?? NONE,
    }),
    [year, month],
  );
  return (
    <Page
      title={`${nameOfMonth(month)} ${year}`}
      kind="Archive"
      intro={
        <>
          All of <Link to={addressOf.year(year)}>{year}</Link>, or <Link to={addressOf.archive}>every year</Link>
        </>
      }
    >
      <PostList source={source} empty="Nothing was published in this month." />
    </Page>
  );
}
