// The publication of a post or page. The rule: times are typed and shown in the writer's time zone, which is shown beside them, and are sent as UTC.
import { useEffect, useId, useState } from "react";
import { Minute, localTime, nameOfZone } from "../ui/time";
import { type Edited, instantOf } from "./values";

interface Props {
  content: Edited;
  isBusy: boolean;
  onPublish: (at: string) => void;
  onUnpublish: () => void;
  /** Null: it stays published. */
  onEnd: (at: string | null) => void;
}

/** In the bar, which is at hand on a phone too; null if it is published. */
export function PublishNow({ content, isBusy, onPublish }: Pick<Props, "content" | "isBusy"> & { onPublish: () => void }) {
  if (useIsOut(content)) return null;
  return (
    <button type="button" className="button" disabled={isBusy} onClick={onPublish}>
      Publish now
    </button>
  );
}

export function Publishing({ content, isBusy, onPublish, onUnpublish, onEnd }: Props) {
  const isOut = useIsOut(content);
  const isScheduled = content.status === "SCHEDULED" && !isOut;
  return (
    <section className="panel" aria-label="Publishing">
      <p className="state">
        <State content={content} isOut={isOut} />
      </p>
      {isOut || isScheduled ? (
        <p className="actions">
          <button type="button" className="button" disabled={isBusy} onClick={onUnpublish}>
            {isOut ? "Unpublish" : "Take off the schedule"}
          </button>
        </p>
      ) : null}
      {isOut ? null : (
        <TimeField label="Publish at" action="Schedule" isBusy={isBusy} onSet={onPublish} past="That time has passed. Choose a later one, or publish now." />
      )}
      {isOut && !("path" in content) ? (
        <details>
          <summary>Another date</summary>
          <TimeField label="Published at" action="Change the date" start={content.publishedAt} isBusy={isBusy} onSet={onPublish} />
        </details>
      ) : null}
      {isOut || isScheduled ? (
        <details open={content.unpublishAt != null}>
          <summary>End of the publication</summary>
          <TimeField
            label="Unpublish at"
            action="Set the end"
            start={content.unpublishAt}
            isBusy={isBusy}
            onSet={onEnd}
            past="That time has passed. Choose a later one, or unpublish it now."
          />
          {content.unpublishAt == null ? null : (
            <button type="button" className="button quiet" disabled={isBusy} onClick={() => onEnd(null)}>
              Leave it published
            </button>
          )}
        </details>
      ) : null}
    </section>
  );
}

function State({ content, isOut }: { content: Edited; isOut: boolean }) {
  const at = instantOf(content);
  if (isOut) {
    return (
      <>
        <strong>Published</strong>
        {at === null ? null : (
          <>
            {" "}
            <Minute at={at} />
          </>
        )}
        .{" "}
        {content.canonicalUrl == null ? (
          <span className="hint">The server does not know the address of the site, so there is no link to it.</span>
        ) : (
          <a href={content.canonicalUrl} target="_blank" rel="noreferrer">
            See it on the site
          </a>
        )}
      </>
    );
  }
  if (content.status === "SCHEDULED" && at !== null) {
    return (
      <>
        <strong>Scheduled</strong> for <Minute at={at} /> ({nameOfZone()}).
      </>
    );
  }
  return (
    <>
      <strong>A draft.</strong> Only writers see it.
    </>
  );
}

interface TimeFieldProps {
  label: string;
  action: string;
  start?: string | null | undefined;
  isBusy: boolean;
  onSet: (at: string) => void;
  /** Why an instant in the past is refused; without it, it is not. */
  past?: string;
}

function TimeField({ label, action, start, isBusy, onSet, past }: TimeFieldProps) {
  const id = useId();
  const [written, setWritten] = useState(() => (start == null ? "" : localTime(start)));
  const [problem, setProblem] = useState("");
  const set = () => {
    const at = new Date(written);
    if (Number.isNaN(at.getTime())) return setProblem("Choose a day and a time.");
    if (past !== undefined && at.getTime() <= Date.now()) return setProblem(past);
    setProblem("");
    return onSet(at.toISOString());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="adding">
        <input
          id={id}
          type="datetime-local"
          value={written}
          aria-describedby={`${id}-hint ${id}-problem`}
          aria-invalid={problem !== ""}
          onChange={({ target }) => setWritten(target.value)}
        />
        <button type="button" className="button" disabled={isBusy} onClick={set}>
          {action}
        </button>
      </div>
      <p className="hint" id={`${id}-hint`}>
        Your time: {nameOfZone()}.
      </p>
      <p className="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </div>
  );
}

/** setTimeout cannot wait longer than this. */
const WAIT_MS_MAX = 2 ** 31 - 1;

/** What is scheduled becomes published at its instant without a request. */
function useIsOut(content: Edited): boolean {
  const { status } = content;
  const publishedAt = instantOf(content);
  const [now, setNow] = useState(() => Date.now());
  const left = publishedAt === null ? 0 : Date.parse(publishedAt) - now;
  useEffect(() => {
    if (status !== "SCHEDULED" || left <= 0) return;
    const timer = window.setTimeout(() => setNow(Date.now()), Math.min(left + 1, WAIT_MS_MAX));
    return () => window.clearTimeout(timer);
  }, [status, left]);
  return status === "PUBLISHED" || (status === "SCHEDULED" && left <= 0);
}
