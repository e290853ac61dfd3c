// The publication of a post. The rule: times are typed and shown in the writer's time zone, which is shown beside them, and are sent as UTC.
import { useEffect, useId, useState } from "react";
import type { EditedPostFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Minute, nameOfZone } from "../ui/time";

interface Props {
  post: EditedPostFragment;
  isBusy: boolean;
  /** Null: now. */
  onPublish: (at: string | null) => void;
  /** Null: now. */
  onUnpublish: (at: string | null) => void;
  /** Removes the end of the publication. */
  onKeepOut: () => void;
}

export function Publishing({ post, isBusy, onPublish, onUnpublish, onKeepOut }: Props) {
  const isOut = useIsOut(post);
  const isScheduled = post.status === "SCHEDULED" && !isOut;
  return (
    <section className="panel" aria-label="Publishing">
      <p className="state">
        <State post={post} isOut={isOut} />
        {post.unpublishAt == null ? null : (
          <>
            {" "}
            A draft again from <Minute at={post.unpublishAt} />.
          </>
        )}
      </p>
      <p className="actions">
        {isOut ? null : (
          <button type="button" className="button" disabled={isBusy} onClick={() => onPublish(null)}>
            Publish now
          </button>
        )}
        {isOut || isScheduled ? (
          <button type="button" className="button" disabled={isBusy} onClick={() => onUnpublish(null)}>
            {isOut ? "Unpublish" : "Take off the schedule"}
          </button>
        ) : null}
        {post.unpublishAt == null ? null : (
          <button type="button" className="button" disabled={isBusy} onClick={onKeepOut}>
            Remove the end
          </button>
        )}
      </p>
      {isOut ? null : <At label="Publish at" action="Schedule" instead="publish now" isBusy={isBusy} onChoose={onPublish} />}
      {isOut || isScheduled ? (
        <At label="Publish until" action="Set the end" instead="unpublish it" isBusy={isBusy} onChoose={onUnpublish} />
      ) : null}
    </section>
  );
}

function State({ post, isOut }: { post: EditedPostFragment; isOut: boolean }) {
  if (isOut) {
    return (
      <>
        <strong>Published</strong> {post.publishedAt == null ? null : <Minute at={post.publishedAt} />}.{" "}
        <Link to={addressOf.post(post.slug)}>See it</Link>
      </>
    );
  }
  if (post.status === "SCHEDULED" && post.publishedAt != null) {
    return (
      <>
        <strong>Scheduled</strong> for <Minute at={post.publishedAt} /> ({nameOfZone()}).
      </>
    );
  }
  return (
    <>
      <strong>A draft.</strong> Only writers see it.
    </>
  );
}

interface AtProps {
  label: string;
  action: string;
  /** What to do if the time has passed. */
  instead: string;
  isBusy: boolean;
  onChoose: (at: string) => void;
}

/** Asks for a time in the future. */
function At({ label, action, instead, isBusy, onChoose }: AtProps) {
  const id = useId();
  const [written, setWritten] = useState("");
  const [problem, setProblem] = useState("");
  const choose = () => {
    const at = new Date(written);
    if (Number.isNaN(at.getTime())) return setProblem("Choose a day and a time.");
    if (at.getTime() <= Date.now()) return setProblem(`That time has passed. Choose a later one, or ${instead}.`);
    setProblem("");
    return onChoose(at.toISOString());
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
        <button type="button" className="button" disabled={isBusy} onClick={choose}>
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

/** A scheduled post becomes published at its instant without a request. */
function useIsOut({ status, publishedAt }: EditedPostFragment): boolean {
  const [now, setNow] = useState(() => Date.now());
  const left = publishedAt == null ? 0 : Date.parse(publishedAt) - now;
  useEffect(() => {
    if (status !== "SCHEDULED" || left <= 0) return;
    const timer = window.setTimeout(() => setNow(Date.now()), Math.min(left + 1, WAIT_MS_MAX));
    return () => window.clearTimeout(timer);
  }, [status, left]);
  return status === "PUBLISHED" || (status === "SCHEDULED" && left <= 0);
}
