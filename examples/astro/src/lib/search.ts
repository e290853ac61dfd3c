// The search page in the browser. The rules: the address has the text, and the answer for an earlier text never replaces that for the present one.
import type { SearchData } from "../tidings/documents";
import { addressOf } from "./addresses";
import { directionOf } from "./languages";

const RESULTS = 10;
/** The server is asked after such a pause in typing. */
const PAUSE_MS = 150;

interface Answer {
  data?: { search: SearchData } | null;
  errors?: { extensions: { code: string; retryAfterMs?: number } }[];
}

const form = document.querySelector("form.search") as HTMLFormElement;
const field = form.elements.namedItem("q") as HTMLInputElement;
const [found, suggestion, results, more] = ["found", "suggestion", "results", "more"].map((id) => document.getElementById(id)) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];

let asking = new AbortController();
let waiting = 0;
let cursor: string | null = null;

field.value = new URLSearchParams(window.location.search).get("q") ?? "";
field.addEventListener("input", () => {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(begin, PAUSE_MS);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
more.addEventListener("click", () => void show(cursor));
begin();

function begin(): void {
  window.clearTimeout(waiting);
  const text = field.value.trim();
  window.history.replaceState(null, "", text === "" ? addressOf.search : `${addressOf.search}?${new URLSearchParams({ q: text })}`);
  if (text === "") {
    asking.abort();
    say("");
    return;
  }
  void show(null);
}

/** Shows the results after a cursor below those that are there, or the first ones in their place. */
async function show(after: string | null): Promise<void> {
  asking.abort();
  const own = (asking = new AbortController());
  const { data, errors } = await ask(field.value.trim(), after, own.signal).catch((): Answer => ({}));
  if (own.signal.aborted) return;
  const error = errors?.[0]?.extensions;
  if (error?.code === "SEARCH_NOT_READY") {
    say("The search is being prepared. Results are shown as soon as it is ready.");
    window.setTimeout(() => own.signal.aborted || void show(after), error.retryAfterMs ?? 1000);
  } else if (!data) {
    say(error?.code === "SEARCH_DISABLED" ? "The server has no search." : "The server does not answer. Try again later.");
  } else {
    list(data.search, after !== null);
  }
}

async function ask(text: string, after: string | null, signal: AbortSignal): Promise<Answer> {
  const body = JSON.stringify({ query: form.dataset["query"], variables: { text, first: RESULTS, after } });
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return (await fetch(`${form.dataset["server"]}/graphql`, { method: "POST", headers, body, signal })).json();
}

function list(answer: SearchData, isMore: boolean): void {
  const { edges, pageInfo } = answer;
  const rows = edges.map(row);
  const before = isMore ? results.childElementCount : 0;
  const count = before + rows.length;
  say(count === 0 ? "Nothing has these words." : count === 1 ? "1 result" : pageInfo.hasNextPage ? `The best ${count} results` : `${count} results`, isMore);
  results.append(...rows);
  cursor = pageInfo.endCursor;
  more.hidden = !pageInfo.hasNextPage;
  if (isMore) rows[0]?.querySelector("a")?.focus();
  const link = suggestion.querySelector("a");
  if (!link || answer.suggestion === null) return;
  link.textContent = answer.suggestion;
  link.href = `${addressOf.search}?${new URLSearchParams({ q: answer.suggestion })}`;
  suggestion.hidden = false;
}

/** Says what is found, in place of what was there. */
function say(text: string, isMore = false): void {
  found.textContent = text;
  suggestion.hidden = true;
  more.hidden = true;
  if (!isMore) results.replaceChildren();
}

/** The server has escaped the HTML of highlights. */
function row({ node, highlights }: SearchData["edges"][number]): HTMLElement {
  const marked = (field: string) => highlights.find((highlight) => highlight.field === field)?.html;
  const element = document.createElement("article");
  element.className = "row bare";
  if (node.language !== null) Object.assign(element, { lang: node.language, dir: directionOf(node.language) });
  element.innerHTML = '<div class="row-text"><h2><a></a></h2><p class="excerpt"></p></div>';
  const [link, part] = [element.querySelector("a") as HTMLAnchorElement, element.querySelector("p") as HTMLElement];
  link.href = addressIn(node);
  put(link, marked("TITLE"), node.title);
  put(part, marked("BODY"), node.excerpt);
  return element;
}

function put(element: HTMLElement, html: string | undefined, text: string): void {
  if (html === undefined) element.textContent = text;
  else element.innerHTML = html;
}

/** The first page of an imported site is not here: the newest posts are at its address. */
function addressIn(node: SearchData["edges"][number]["node"]): string {
  if ("slug" in node) return addressOf.post(node.slug);
  return "path" in node && node.path !== "index" ? addressOf.document(node.path) : addressOf.home;
}
