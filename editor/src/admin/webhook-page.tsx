// One webhook: its settings, its secret, and what came of its last messages.
import { useEffect, useState } from "react";
import { useQuery } from "urql";
import type { OneWebhookQuery, WebhookOutcome } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { replaceWith } from "../routing/place";
import { Labelled } from "../ui/labelled";
import { Secret } from "../ui/secret";
import { Empty, Failed, Loading } from "../ui/states";
import { Minute } from "../ui/time";
import { DeleteWebhook, ReplayWebhook, RotateWebhookSecret, TestWebhook, UpdateWebhook, WebhookQuery } from "./documents";
import { WebhookForm } from "./webhook-form";
import { StateOf, summaryOf } from "./webhooks";

type Webhook = Extract<NonNullable<OneWebhookQuery["node"]>, { deliveries: unknown }>;
type Delivery = Webhook["deliveries"][number];

/** A message needs a moment, so the deliveries are read again at these times after each action. */
const LATER_MS = [500, 1500, 4000, 10_000, 16_000];

export function WebhookPage({ id }: { id: string }) {
  const [{ data, error }, again] = useQuery({ query: WebhookQuery, variables: { id }, requestPolicy: "cache-and-network" });
  const [asks, setAsks] = useState(0);
  useEffect(() => {
    if (asks === 0) return;
    const timers = LATER_MS.map((ms) => window.setTimeout(() => again({ requestPolicy: "network-only" }), ms));
    return () => timers.forEach((timer) => window.clearTimeout(timer));
  }, [asks, again]);
  if (error && !data?.node) return <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <Loading what="the webhook" />;
  const webhook = data.node && "deliveries" in data.node ? data.node : null;
  if (!webhook) return <Empty>There is no such webhook any more. <Link to={addressOf.admin("webhooks")}>All webhooks</Link></Empty>;
  return <Settings webhook={webhook} onAsked={() => setAsks((count) => count + 1)} />;
}

function Settings({ webhook, onAsked }: { webhook: Webhook; onAsked: () => void }) {
  const { id, url, state, nextAttemptAt, deliveries } = webhook;
  const asked = useAsked();
  const changed = useAsked();
  const { ask, problem, isBusy } = asked;
  const [said, setSaid] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const isOff = state === "DISABLED" || state === "GONE";
  const did = (message: string) => {
    setSaid(message);
    onAsked();
  };
  const enable = async () => {
    if (await ask(UpdateWebhook, { input: { id, enabled: isOff } }, (data) => data.updateWebhook)) did(isOff ? "It is enabled, and gets what it has missed." : "It is disabled.");
  };
  const send = async () => {
    if (await ask(TestWebhook, { input: { id } }, (data) => data.testWebhook)) did("A test message is sent: see the deliveries.");
  };
  const rotate = async () => {
    if (!window.confirm("Make a new secret? For a day, the former one signs too.")) return;
    const made = await ask(RotateWebhookSecret, { input: { id } }, (data) => data.rotateWebhookSecret);
    if (made?.secret != null) setSecret(made.secret);
  };
  const remove = async () => {
    if (!window.confirm(`Delete the webhook ${url} with its deliveries? This cannot be undone.`)) return;
    if (await ask(DeleteWebhook, { input: { id } }, (data) => data.deleteWebhook)) replaceWith(addressOf.admin("webhooks"));
  };
  return (
    <>
      {secret === null ? null : (
        <Secret title="The new secret" secret={secret} hint="It is shown only now. For a day, the former one signs too." onKept={() => setSecret(null)} />
      )}
      <section className="panel" aria-label="This webhook">
        <h2 className="address">{url}</h2>
        <p>
          <StateOf state={state} /> <span className="count">{summaryOf(webhook)}</span>
        </p>
        {nextAttemptAt == null ? null : (
          <p className="hint">
            The last message has failed. It is sent again <Minute at={nextAttemptAt} />.
          </p>
        )}
        <p className="actions">
          <button type="button" className="button" disabled={isBusy} onClick={() => void send()}>
            Send a test
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => void enable()}>
            {isOff ? "Enable" : "Disable"}
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => void rotate()}>
            Rotate the secret
          </button>
          <button type="button" className="button quiet bad" disabled={isBusy} onClick={() => void remove()}>
            Delete
          </button>
        </p>
        <p role="status" className="said">
          {said}
        </p>
        <p className="problem" role="alert">
          {problem}
        </p>
        <details>
          <summary>Change what it gets</summary>
          <WebhookForm
            label="Change the webhook"
            action="Save"
            start={{ ...webhook, digestSeconds: webhook.digestSeconds ?? 0 }}
            asked={changed}
            onSave={async ({ url: to, digestSeconds, types, actions, tagSlugs, categorySlugs, authorSlugs, languages }) => {
              const input = { id, url: to, digestSeconds, types, actions, tagSlugs, categorySlugs, authorSlugs, languages };
              if (await changed.ask(UpdateWebhook, { input }, (data) => data.updateWebhook)) did("Saved.");
            }}
          />
        </details>
        <details>
          <summary>Send changes again</summary>
          <Replay id={id} onDone={() => did("They are sent again, then those that follow.")} />
        </details>
      </section>
      <section className="post-group" aria-label="Deliveries">
        <h2>
          Deliveries <span className="count">the last {deliveries.length === 0 ? "50 are kept" : deliveries.length}</span>
        </h2>
        {deliveries.length === 0 ? <Empty>Nothing has been sent yet.</Empty> : <Deliveries deliveries={deliveries} />}
        <p className="more">
          <button type="button" className="button" onClick={onAsked}>
            Read them again
          </button>
        </p>
      </section>
    </>
  );
}

function Replay({ id, onDone }: { id: string; onDone: () => void }) {
  const { ask, problem, setProblem, isBusy } = useAsked();
  const [since, setSince] = useState("");
  const replay = async () => {
    const at = new Date(since);
    if (Number.isNaN(at.getTime())) return setProblem("Choose a day and a time.");
    if (await ask(ReplayWebhook, { input: { id, since: at.toISOString() } }, (data) => data.replayWebhook)) onDone();
  };
  return (
    <div className="admin-form">
      <Labelled label="Since" hint="At most 29 days ago, in your time.">
        {(control) => <input {...control} type="datetime-local" value={since} onChange={({ target }) => setSince(target.value)} />}
      </Labelled>
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="actions">
        <button type="button" className="button" disabled={isBusy} onClick={() => void replay()}>
          Send them again
        </button>
      </p>
    </div>
  );
}

const OUTCOMES: Record<WebhookOutcome, [name: string, look: string]> = {
  DELIVERED: ["delivered", "good"],
  REFUSED: ["refused", "bad"],
  TIMEOUT: ["no answer within 15 s", "bad"],
  UNREACHABLE: ["no connection", "bad"],
  ADDRESS_NOT_ALLOWED: ["address not allowed", "bad"],
  POSITION_EXPIRED: ["changes were left out", "bad"],
};

function Deliveries({ deliveries }: { deliveries: Delivery[] }) {
  return (
    // It scrolls sideways on a phone, also by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="wide" tabIndex={0} role="group" aria-label="Table of deliveries">
      <table className="deliveries">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Outcome</th>
            <th scope="col">Status</th>
            <th scope="col">Attempt</th>
            <th scope="col">Took</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ at, messageId, outcome, status, attempt, durationMilliseconds, skipped }) => {
            const [name, look] = OUTCOMES[outcome];
            return (
              <tr key={`${at} ${messageId} ${attempt}`}>
                <td>
                  <Minute at={at} />
                </td>
                <td>
                  <span className={`badge ${look}`}>{name}</span>
                  {skipped ? ", given up" : ""}
                </td>
                <td>{status ?? "none"}</td>
                <td>{attempt}</td>
                <td>{durationMilliseconds.toLocaleString()} ms</td>
                <td>
                  <code>{messageId ?? "none"}</code>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
