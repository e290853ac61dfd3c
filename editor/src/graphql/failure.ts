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
  SEARCH_DISABLED: { title: "This server has no search", text: "Its operator has turned it off.", ...NOT_AGAIN },
  TIMEOUT: BUSY,
  REQUEST_TIMEOUT: BUSY,
  OVERLOADED: BUSY,
  TOO_MANY_REQUESTS: BUSY,
  CHANGE_IN_PROGRESS: { title: "Someone else is changing this", text: "Nothing was changed. Wait a moment, then try again.", ...AGAIN },
  UNAVAILABLE: { title: "The storage is out of reach", text: "Nothing is lost. Wait a moment, then try again.", ...AGAIN },
  NETWORK: { title: "The server is out of reach", text: "Check your connection, then try again.", ...AGAIN },
};

const OTHER: Words = { title: "Something went wrong", text: "The server could not answer. Try again.", ...AGAIN };

export function failureOf(error: Pick<CombinedError, "graphQLErrors" | "networkError">): Failure {
  const code = codeOf(error);
  return { code, ...(WORDS[code] ?? OTHER) };
}

function codeOf(error: Pick<CombinedError, "graphQLErrors" | "networkError">): string {
  const code = error.graphQLErrors[0]?.extensions["code"];
  if (typeof code === "string") return code;
  return error.networkError ? "NETWORK" : "UNKNOWN";
}
