// Somebody else has changed the text since. The rule: the view shows both texts before the choice, and no choice discards what was typed.
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { useTitle } from "../ui/page";
import { Minute } from "../ui/time";
import { differences } from "./differences";
import { Marked } from "./marked";
import type { Conflict } from "./use-changes";
import { FIELDS, type Field, type Values, clashOf, kindOf, plain, valuesOf } from "./values";
import { changesIn, listOf, nameOf } from "./words";

interface Props {
  conflict: Conflict;
  base: Values;
  mine: Values;
  isBusy: boolean;
  /** What the writer asked for besides saving; empty for nothing. */
  asked: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onMerge: () => void;
  problems: ReactNode;
}

export function ConflictView({ conflict, base, mine, isBusy, asked, onKeepMine, onTakeTheirs, onMerge, problems }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const theirs = useMemo(() => valuesOf(conflict.theirs), [conflict.theirs]);
  const { both, onlyTheirs, onlyMine } = clashOf(base, mine, theirs);
  useTitle("Somebody else changed this text");
  useEffect(() => heading.current?.focus(), [conflict]);
  return (
    <div className="page conflict">
      <header className="page-head">
        <p className="kind">Not saved yet</p>
        <h1 ref={heading} tabIndex={-1}>
          Somebody else changed this {kindOf(conflict.theirs)} while you wrote
        </h1>
        <Since conflict={conflict} />
      </header>
      {problems}
      {both.map((field) => (
        <Clash key={field} field={field} theirs={plain(theirs, field)} mine={plain(mine, field)} />
      ))}
      {both.length === 0 ? <p className="notice">You and they changed different things. Keep yours, and nothing of theirs is lost.</p> : null}
      <Alone fields={onlyTheirs} who="they" then="It stays as they have it, if you keep yours." />
      <Alone fields={onlyMine} who="you" then="It is lost only if you take theirs; even then it is put aside for you." />
      <div className="choices">
        <Choice name="Keep mine" main isBusy={isBusy} onChoose={onKeepMine}>
          Saves your changes over theirs{asked === "" ? "" : `, and ${asked}`}. Their version stays in the list of versions.
        </Choice>
        <Choice name="Take theirs" isBusy={isBusy} onChoose={onTakeTheirs}>
          Shows their text. Yours is put aside, and you can bring it back.
        </Choice>
        <Choice name="Merge by hand" isBusy={isBusy} onChoose={onMerge}>
          Continues with your text, with theirs beside it. Nothing is saved until you save it.
        </Choice>
      </div>
    </div>
  );
}

function Since({ conflict: { since, theirs } }: { conflict: Conflict }) {
  if (since.length === 0) return <p className="intro">It is at version {theirs.version} now.</p>;
  return (
    <ul className="since">
      {since.map((revision) => (
        <li key={revision.version}>
          <strong>{nameOf(revision)}</strong> saved version {revision.version}, <Minute at={revision.changedAt} />
          {changesIn(revision) === "" ? null : `: ${changesIn(revision)}`}
        </li>
      ))}
    </ul>
  );
}

function Clash({ field, theirs, mine }: { field: Field; theirs: string; mine: string }) {
  const stretches = useMemo(() => differences(theirs, mine), [theirs, mine]);
  return (
    <section className="clash" aria-label={FIELDS[field]}>
      <h2>{FIELDS[field]}</h2>
      <div className="two">
        <div>
          <h3>Theirs</h3>
          <Marked stretches={stretches} side="theirs" />
        </div>
        <div>
          <h3>Yours</h3>
          <Marked stretches={stretches} side="mine" />
        </div>
      </div>
    </section>
  );
}

function Alone({ fields, who, then }: { fields: Field[]; who: string; then: string }) {
  if (fields.length === 0) return null;
  const names = listOf(fields.map((field) => FIELDS[field].toLowerCase()));
  return (
    <p className="alone">
      Only {who} changed: <strong>{names}</strong>. {then}
    </p>
  );
}

interface ChoiceProps {
  name: string;
  main?: boolean;
  isBusy: boolean;
  onChoose: () => void;
  children: ReactNode;
}

function Choice({ name, main = false, isBusy, onChoose, children }: ChoiceProps) {
  return (
    <div className="choice">
      <button type="button" className={main ? "button main" : "button"} disabled={isBusy} onClick={onChoose}>
        {name}
      </button>
      <p className="hint">{children}</p>
    </div>
  );
}
