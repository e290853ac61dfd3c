// The table of contents of a post. The rule: a short post has none.
import type { WholePostFragment } from "../gql/graphql";

const ENTRIES_MIN = 3;
/** Of the levels that a post uses: the highest and the next. */
const LEVELS = 2;

interface Props {
  headings: WholePostFragment["body"]["headings"];
  title: string;
}

export function Contents({ headings, title }: Props) {
  const top = Math.min(...headings.map(({ level }) => level));
  const entries = headings.filter(({ level, text }) => level < top + LEVELS && text !== "");
  if (entries.length < ENTRIES_MIN) return null;
  return (
    <details className="contents">
      <summary>{title}</summary>
      <nav aria-label={title}>
        <ul>
          {entries.map(({ level, text, anchor }) => (
            <li key={anchor} className={level === top ? undefined : "below"}>
              <a href={`#${anchor}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}
