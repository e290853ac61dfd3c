// A live query or a subscription over Server-Sent Events. The rule: it begins again when its connection is lost, and it keeps a connection only while the window is shown,
// because a browser has few of them.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { stringifyDocument } from "urql";
import { HEADERS } from "./client";

const AGAIN_MS = 5_000;

interface Answer<Data> {
  data?: Data | null;
  errors?: { extensions?: { retryable?: boolean } }[];
}

/**
 * Calls `next` with each answer until the returned function is called, or the server refuses the query for good. `lock`: by HTTP/1.1, only one window of the
 * browser at a time has the connection.
 */
export function watch<Data, Variables>(query: TypedDocumentNode<Data, Variables>, variables: Variables, next: (data: Data) => void, lock?: string): () => void {
  let connection: AbortController | null = null;
  let timer: number | undefined;

  /** Whether another attempt may help. */
  const connect = async (signal: AbortSignal): Promise<boolean> => {
    const body = JSON.stringify({ query: stringifyDocument(query), variables });
    const headers = { ...HEADERS, "Content-Type": "application/json", Accept: "text/event-stream" };
    const response = await fetch("/graphql", { method: "POST", headers, body, signal });
    if (!response.ok || !response.body) return canRetry((await response.json()) as Answer<Data>);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", read = await reader.read(); !read.done; read = await reader.read()) {
      const events = (rest + read.value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const json = /^data: (.+)$/m.exec(event)?.[1];
        if (json === undefined) continue;
        const answer = JSON.parse(json) as Answer<Data>;
        if (!answer.data || answer.errors) return canRetry(answer);
        next(answer.data);
      }
    }
    return true;
  };
  const end = () => {
    window.clearTimeout(timer);
    connection?.abort();
    connection = null;
  };
  const begin = () => {
    end();
    if (document.hidden || !navigator.onLine) return;
    const own = new AbortController();
    connection = own;
    const { signal } = own;
    const isLocked = lock !== undefined && "locks" in navigator && isHttp1();
    void (isLocked ? navigator.locks.request(lock, { signal }, () => connect(signal)) : connect(signal))
      // The connection is lost.
      .catch(() => true)
      .then((canBeginAgain) => {
        if (canBeginAgain && connection === own) timer = window.setTimeout(begin, AGAIN_MS);
      });
  };
  document.addEventListener("visibilitychange", begin);
  window.addEventListener("online", begin);
  begin();
  return () => {
    document.removeEventListener("visibilitychange", begin);
    window.removeEventListener("online", begin);
    end();
  };
}

function isHttp1(): boolean {
  const [page] = performance.getEntriesByType("navigation");
  return page instanceof PerformanceNavigationTiming && page.nextHopProtocol === "http/1.1";
}

function canRetry({ errors }: Answer<unknown>): boolean {
  return errors?.[0]?.extensions?.retryable === true;
}
