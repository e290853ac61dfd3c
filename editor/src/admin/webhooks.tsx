// The webhooks of the site, each with its state, and a form for a new one.
import { useState } from "react";
import { useQuery } from "urql";
import type { WebhookItemFragment, WebhookState } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Secret } from "../ui/secret";
import { Empty, Failed, Loading } from "../ui/states";
import { listOf } from "../writing/words";
import { CreateWebhook, WebhooksQuery } from "./documents";
import { ACTIONS, NOTHING, TYPES, WebhookForm } from "./webhook-form";

export function Webhooks() {
  const [{ data, error }, again] = useQuery({ query: WebhooksQuery, variables: {}, requestPolicy: "cache-and-network" });
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ url: string; secret: string } | null>(null);
  const asked = useAsked();
  const webhooks = data?.webhooks;
  return (
    <>
      {created ? (
        <Secret
          title={`The secret of ${created.url}`}
          secret={created.secret}
          hint="The receiver checks signatures by it. It is shown only now; you can rotate it later."
          onKept={() => setCreated(null)}
        />
      ) : null}
      <p className="actions">
        <button type="button" className={isOpen ? "button" : "button main"} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "No new webhook" : "New webhook"}
        </button>
      </p>
      {isOpen ? (
        <WebhookForm
          label="New webhook"
          action="Create the webhook"
          start={NOTHING}
          asked={asked}
          onSave={async (values) => {
            const made = await asked.ask(CreateWebhook, { input: values }, (answer) => answer.createWebhook);
            if (made?.secret == null) return;
            setCreated({ url: values.url, secret: made.secret });
            setOpen(false);
            again({ requestPolicy: "network-only" });
          }}
        />
      ) : null}
      {error && !webhooks ? <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} /> : null}
      {!data && !error ? <Loading what="the webhooks" /> : null}
      {webhooks ? (
        <section className="post-group" aria-label="Webhooks">
          {webhooks.length === 0 ? (
            <Empty>There are none yet. A static site builds itself by one, a cache is emptied by one.</Empty>
          ) : (
            <ul className="items">
              {webhooks.map((webhook) => (
                <li key={webhook.id}>
                  <Link to={addressOf.webhook(webhook.id)}>{webhook.url}</Link>
                  <StateOf state={webhook.state} />
                  <span className="count">{summaryOf(webhook)}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      ) : null}
    </>
  );
}

const STATES: Record<WebhookState, [name: string, look: string]> = {
  ACTIVE: ["active", "good"],
  FAILING: ["failing", "bad"],
  DISABLED: ["disabled", "off"],
  GONE: ["gone: the receiver has answered 410", "off"],
};

export function StateOf({ state }: { state: WebhookState }) {
  const [name, look] = STATES[state];
  return <span className={`badge ${look}`}>{name}</span>;
}

export function summaryOf({ digestSeconds, types, actions, tagSlugs, categorySlugs, authorSlugs, languages }: WebhookItemFragment): string {
  const filters = [
    types.map((type) => TYPES[type]),
    actions.map((action) => ACTIONS[action] ?? action),
    [...tagSlugs, ...categorySlugs, ...authorSlugs],
    languages,
  ].filter((names) => names.length > 0);
  const what = filters.length === 0 ? "all changes" : filters.map((names) => listOf(names).toLowerCase()).join("; ");
  return digestSeconds == null ? `a message for each change: ${what}` : `a digest every ${digestSeconds} s at most: ${what}`;
}
