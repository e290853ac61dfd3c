// The views of a published post on the last 30 days, a bar for each. The rule: the figures are read as a sentence, so the picture adds nothing to hear.
import { useQuery } from "urql";
import { ViewsQuery } from "../documents";

const NUMBER = new Intl.NumberFormat();
// Days are those of UTC.
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const HEIGHT = 40;
const WIDTH = 8;
const GAP = 2;

const shown = (day: string) => DAY.format(new Date(day));

export function ViewPlot({ id }: { id: string }) {
  const [{ data }] = useQuery({ query: ViewsQuery, variables: { id }, requestPolicy: "cache-and-network" });
  const node = data?.node;
  const days = node && "viewsByDay" in node ? node.viewsByDay : [];
  const today = days.at(-1);
  // The server counts no views.
  if (!today) return null;
  const sum = days.reduce((views, day) => views + day.views, 0);
  const best = days.reduce((most, day) => (day.views > most.views ? day : most), today);
  return (
    <section className="panel" aria-label="Views">
      <p>
        <strong>{NUMBER.format(sum)}</strong> {sum === 1 ? "view" : "views"} in {days.length} days, {NUMBER.format(today.views)} today
        {sum > 0 ? `, most on ${shown(best.day)}: ${NUMBER.format(best.views)}` : null}
      </p>
      <svg className="view-plot" viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map(({ day, views }, index) => {
          // A day without views has a line.
          const height = Math.max(1, (views / Math.max(1, best.views)) * HEIGHT);
          return (
            <rect key={day} x={index * WIDTH} y={HEIGHT - height} width={WIDTH - GAP} height={height}>
              <title>{`${shown(day)}: ${NUMBER.format(views)}`}</title>
            </rect>
          );
        })}
      </svg>
    </section>
  );
}
