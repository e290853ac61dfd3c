// GraphQL errors in plain words. The rule: a reader sees what happened and what to do; the code is shown beside it for support.
import type { CombinedError } from "urql";

export interface Failure {
  code: string;
  title: string;
  text: string;
  /** Whether a retry may help. */
  canRetry: boolean;
}

type Words = Omit<Failure, "code">;

const AGAIN = { canRetry: true };
const NOT_AGAIN = { canRetry: false };
const BUSY: Words = { title: "The server is busy", text: "It did not answer in time. Wait a moment, then try again.", ...AGAIN };

const WORDS: Record<string, Words> = {
  UNAUTHENTICATED: {
    title: "You are not signed in",
    text: "The server does not accept the token: it is mistyped, has expired or was revoked. Sign in with another one.",
    ...NOT_AGAIN,
  },
  FORBIDDEN: {
    title: "Your token does not allow this",
    text: "It needs a token with a higher role. The operator of the site can create one.",
    ...NOT_AGAIN,
  },
  BAD_PREVIEW: { title: "This preview link is incomplete", text: "Copy all of it, or ask for a new one.", ...NOT_AGAIN },
  PREVIEW_EXPIRED: { title: "This preview has expired", text: "Ask for a new link.", ...NOT_AGAIN },
  BAD_CURSOR: { title: "The list has changed", text: "It cannot continue from here. Reload the page.", ...NOT_AGAIN },
  BAD_USER_INPUT: { title: "The address is not quite right", text: "A part of it is not valid.", ...NOT_AGAIN },
  FILTER_TOO_BROAD: { title: "That is too much at once", text: "Choose fewer tags, then try again.", ...NOT_AGAIN },
  QUERY_TOO_COMPLEX: { title: "That is too much at once", text: "Choose fewer tags, then try again.", ...NOT_AGAIN },
  SEARCH_NOT_READY: { title: "The search is being prepared", text: "Wait a moment, then try again.", ...AGAIN },
  SEARCH_DISABLED: { title: "This site has no search", text: "Its operator has turned it off.", ...NOT_AGAIN },
  TIMEOUT: BUSY,
  REQUEST_TIMEOUT: BUSY,
  OVERLOADED: BUSY,
  TOO_MANY_REQUESTS: BUSY,
  CHANGE_IN_PROGRESS: { title: "Someone else is changing this", text: "Nothing was changed. Wait a moment, then try again.", ...AGAIN },
  UNAVAILABLE: { title: "The storage is out of reach", text: "Nothing is lost. Wait a moment, then try again.", ...AGAIN },
  NETWORK: { title: "The server is out of reach", text: "Check your connection, then try again.", ...AGAIN },
};

const OTHER: Words = { title: "Something went wrong", text: "The server could not answer. Try again.", ...AGAIN };

export function failureOf(error: CombinedError): Failure {
  const code = codeOf(error);
  const words = WORDS[code] ?? OTHER;
  return { code, ...words, ...(import.meta.env.DEV && code === "NETWORK" && { text: FOR_DEVELOPERS }) };
}

const ELSEWHERE = import.meta.env.VITE_TIDINGS_URL;

/** A browser does not distinguish a server that does not run from one that does not allow the page's origin. */
const FOR_DEVELOPERS =
  ELSEWHERE === undefined
    ? `No server answers at ${import.meta.env.TIDINGS_URL}, where /graphql is forwarded to. Start the server there, or set another address with TIDINGS_URL. ` +
      "To send requests without forwarding, set VITE_TIDINGS_URL, and allow this page's origin with `tidings serve --cors-origin`."
    : `No server that this page can read answers at ${ELSEWHERE}. Is the server running, and with \`--cors-origin ${window.location.origin}\`?`;

function codeOf(error: CombinedError): string {
  const code = error.graphQLErrors[0]?.extensions["code"];
  if (typeof code === "string") return code;
  return error.networkError ? "NETWORK" : "UNKNOWN";
}
