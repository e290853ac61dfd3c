// All months that have posts, by year.
import { useQuery } from "urql";
import { graphql } from "../gql";
import type { ArchiveQuery as ArchiveAnswer } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";
import { Empty, FailedView, Loading } from "../ui/states";
import { nameOfMonth } from "../ui/time";
import { NotFoundPage } from "./not-found";

const ArchiveQuery = graphql(`
  query Archive($year: Int) {
    archive(year: $year) {
      year
      month
      postCount
    }
  }
`);

type Month = ArchiveAnswer["archive"][number];

export function ArchivePage({ year }: { year?: number }) {
  const [{ data, error }, again] = useQuery({ query: ArchiveQuery, variables: { year: year ?? null } });
  if (error && !data) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <Loading what="the archive" />;
  if (data.archive.length === 0 && year !== undefined) return <NotFoundPage what="post of that year" />;
  return (
    <Page title={year === undefined ? "Archive" : `Archive of ${year}`} kind="By month">
      {data.archive.length === 0 ? <Empty>Nothing has been published yet.</Empty> : <Years months={data.archive} />}
    </Page>
  );
}

function Years({ months }: { months: Month[] }) {
  const years = Map.groupBy(months, ({ year }) => year);
  return (
    <div className="years">
      {[...years].map(([year, ofYear]) => (
        <section key={year} aria-labelledby={`year-${year}`}>
          <h2 id={`year-${year}`}>
            <Link to={addressOf.year(year)}>{year}</Link>
          </h2>
          <ul>
            {ofYear.map(({ month, postCount }) => (
              <li key={month}>
                <Link to={addressOf.month(year, month)}>{nameOfMonth(month)}</Link>
                <span className="count">{postCount === 1 ? "1 post" : `${postCount} posts`}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
