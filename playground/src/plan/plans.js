// The plan of each tab's last query. The rule: an answer that a later request of the tab has overtaken is ignored, and a plan is shown only with the text
// that it belongs to.
import { change, settings } from "../store.js";
import { placesIn } from "./places.js";

let number = 0;

/** Notes that the current tab asks for a plan. */
export function begin({ text, operationName, isDry = false }) {
  const { tab, plans } = settings();
  number += 1;
  change({ plans: { ...plans, [tab]: { ...plans[tab], waitsFor: number } } });
  return { tab, number, text, operationName, isDry };
}

/** Keeps what was answered, unless a later request was sent from the same tab. */
export function answered({ tab, number, text, operationName, isDry }, { isAnswered, answer }) {
  const { plans, tokenNumber } = settings();
  // Also if the tab is closed.
  if (plans[tab]?.waitsFor !== number) return;
  const shown = { number, text, operationName, isDry, tokenNumber, places: placesIn(text, operationName), ...outcomeOf(answer, isAnswered) };
  change({ plans: { ...plans, [tab]: { shown, waitsFor: null } } });
}

/**
 * What the panel shows of a query:
 * - `explained`: the plan, of a run or of a dry run;
 * - `refused`: its bound is over the server's limit;
 * - `withheld`: the server does not report plans to this visitor;
 * - `failed`: there is no plan, because of an error.
 */
function outcomeOf({ errors, extensions }, isAnswered) {
  const explain = extensions?.explain;
  const { message, extensions: details } = errors?.[0] ?? {};
  if (!isAnswered) return { state: "failed", message: "The server cannot be reached." };
  if (details?.code === "QUERY_TOO_COMPLEX" && !explain?.executed) {
    return { state: "refused", explain, message, ...refusalOf(message), ...details };
  }
  // A dry run of an invalid query has errors, and bounds of nothing.
  if (explain && (explain.executed || !errors)) return { state: "explained", explain, limit: extensions.operationCost?.limit, message, code: details?.code };
  if (!errors || details?.code === "FORBIDDEN") return { state: "withheld" };
  return { state: "failed", message, code: details?.code };
}

/** The figures of a refusal, which its message has. */
function refusalOf(message) {
  const [, bound, limit] = /may need (\d+) storage requests; the limit is (\d+)/.exec(message) ?? [];
  const [, mostExpensive] = /The most expensive part is (.+?)\. /.exec(message) ?? [];
  const advice = /Request smaller .*$/.exec(message)?.[0];
  return { bound: bound && Number(bound), limit: limit && Number(limit), mostExpensive, advice };
}
