// The panel "Plan": what the query of this tab read in the storage, or would read. The rule: it describes one text of the query, and says so when the editor
// has another.
import { tryParseJSONC, useGraphiQL } from "@graphiql/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { planOnly } from "../server.js";
import { openPlan, useSettings } from "../store.js";
import { useEditorLight } from "./editor-light.js";
import { FieldTree } from "./field-tree.jsx";
import { counted } from "./format.js";
import { Hits } from "./hits.jsx";
import { choose, reset } from "./pointing.js";
import { Refusal } from "./refusal.jsx";
import { Requests } from "./requests.jsx";
import { Empty, Failed, Withheld } from "./states.jsx";
import { Summary } from "./summary.jsx";

const NONE = [];
/** As in the style sheet. */
const NARROW = "(max-width: 720px)";

export function PlanPanel() {
  const { tab, plans } = useSettings();
  const { shown, waitsFor } = plans[tab] ?? {};
  const isWaiting = Boolean(waitsFor);
  const panel = useRef(null);
  // The panel is mounted while it is open, and stays so when the page is left.
  useEffect(() => {
    openPlan(true);
    // On a phone, it is below the answer: who opened it by its icon is taken there.
    const isOpened = document.activeElement?.closest(".graphiql-sidebar");
    if (isOpened && matchMedia(NARROW).matches) panel.current.scrollIntoView();
    return () => openPlan(false);
  }, []);
  // Before the page is painted: the visitor may point at the new plan at once.
  useLayoutEffect(reset, [shown?.number]);
  return (
    <section
      className="plan"
      ref={panel}
      aria-labelledby="plan-title"
      aria-busy={isWaiting}
      onKeyDown={({ key }) => key === "Escape" && choose(null)}
    >
      <header className="plan-head">
        <h2 id="plan-title">Plan</h2>
        <DryRun />
      </header>
      <p className="visually-hidden" role="status">
        {isWaiting ? "Waiting for the plan …" : announcement(shown)}
      </p>
      <div className={isWaiting ? "plan-body waits" : "plan-body"}>
        {shown ? <Shown key={`${tab}/${shown.number}`} plan={shown} /> : <Empty isWaiting={isWaiting} />}
      </div>
    </section>
  );
}

function DryRun() {
  const { queryEditor, variableEditor, operationName } = useGraphiQL(({ queryEditor, variableEditor, operationName }) => ({
    queryEditor,
    variableEditor,
    operationName,
  }));
  const ask = () => planOnly({ query: queryEditor.getValue(), variables: () => tryParseJSONC(variableEditor?.getValue()), operationName });
  return (
    <button type="button" className="plan-button" disabled={!queryEditor} onClick={ask} title="Ask the server for the most that this query can cost. The query is not run.">
      Plan without running
    </button>
  );
}

function announcement(shown) {
  if (!shown) return "";
  const { state, explain, isDry, bound } = shown;
  if (state === "refused") return bound === undefined ? "The query was refused." : `The query was refused: it may need ${counted(bound, "storage request")}.`;
  if (state !== "explained") return "This query has no plan.";
  if (isDry) return `At most ${explain.bound?.storageRequests} storage requests; nothing was run.`;
  const { storageRequests, roundTrips } = explain.spent ?? {};
  return `${counted(storageRequests ?? 0, "storage request")} in ${counted(roundTrips ?? 0, "round trip")}.`;
}

function Shown({ plan }) {
  const isCurrent = useEditorLight({ text: plan.text, places: plan.places });
  return (
    <>
      {!isCurrent && <p className="plan-note">The query has changed since. Run it again, or plan it without running.</p>}
      <Content plan={plan} />
    </>
  );
}

function Content({ plan }) {
  const { state, explain, isDry, places } = plan;
  if (state === "withheld") return <Withheld plan={plan} />;
  if (state === "failed") return <Failed plan={plan} />;
  if (state === "refused") return <Refusal plan={plan} />;
  return (
    <>
      {plan.message && <p className="plan-note is-bad">The answer has an error: {plan.message}</p>}
      <Summary plan={plan} />
      {!isDry && <Requests explain={explain} />}
      {!isDry && <Hits hits={explain.hits ?? NONE} hitsNotListed={explain.hitsNotListed ?? 0} />}
      <FieldTree fields={explain.fields ?? NONE} places={places} />
    </>
  );
}
