// The signed-in user. The rule: the token is in a cookie that no script can read; this page knows only whose it is.
import { type ReactNode, createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { type CombinedError, Provider } from "urql";
import type { ViewerQuery as ViewerAnswer } from "./gql/graphql";
import { ViewerQuery } from "./documents";
import { HEADERS, makeClient } from "./graphql/client";
import { failureOf } from "./graphql/failure";

export type Viewer = NonNullable<ViewerAnswer["viewer"]>;

interface Session {
  /** Undefined until the server has answered, null if nobody is signed in. */
  viewer: Viewer | null | undefined;
  /** The server could not be asked. */
  error: CombinedError | null;
  /** The server no longer accepts the token. */
  isExpired: boolean;
  /** Asks the server again who is signed in; undefined if it cannot be asked. */
  refresh: () => Promise<Viewer | null | undefined>;
  expire: () => void;
}

/** In localStorage while somebody is signed in: no script sees the cookie, and the server refuses its absence like an expired token. */
const SIGNED_IN = "tidings.signed-in";
/** Gets 200 also if nobody is signed in, which is no error. */
const PLAIN = { Accept: "application/json" };

const Context = createContext<Session | null>(null);

/** Each session has its own client and cache, so that no data of an editor remains after signing out. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [{ viewer, error, isExpired }, setState] = useState<Pick<Session, "viewer" | "error" | "isExpired">>({ viewer: undefined, error: null, isExpired: false });
  const owner = viewer ? `${viewer.kind} ${viewer.name}` : null;
  // oxlint-disable-next-line react/exhaustive-deps
  const client = useMemo(makeClient, [owner]);
  const refresh = useCallback(async () => {
    const { data, error: failed } = await makeClient().query(ViewerQuery, {}, { fetchOptions: { headers: { ...HEADERS, ...PLAIN } } });
    const isRefused = failed !== undefined && failureOf(failed).code === "UNAUTHENTICATED";
    const found = isRefused ? null : data?.viewer;
    if (found) window.localStorage.setItem(SIGNED_IN, "1");
    const wasSignedIn = window.localStorage.getItem(SIGNED_IN) !== null;
    setState({ viewer: found, error: isRefused ? null : (failed ?? null), isExpired: isRefused && wasSignedIn });
    return found;
  }, []);
  const expire = useCallback(() => setState({ viewer: null, error: null, isExpired: true }), []);
  useEffect(() => void refresh(), [refresh]);
  const session = useMemo(() => ({ viewer, error, isExpired, refresh, expire }), [viewer, error, isExpired, refresh, expire]);
  return (
    <Context value={session}>
      <Provider value={client}>{children}</Provider>
    </Context>
  );
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession needs a SessionProvider above it");
  return session;
}

/** Readers see drafts and change nothing. */
export function canWrite(viewer: Viewer | null | undefined): boolean {
  return viewer != null && viewer.role !== "READER";
}

/** Pages and terms are for editors, and the deletion of pictures and files. */
export function isEditor(viewer: Viewer | null | undefined): boolean {
  return viewer?.role === "EDITOR" || viewer?.role === "ADMIN";
}

interface Refused {
  code: string;
  message: string;
}

const OUT_OF_REACH: Refused = { code: "NETWORK", message: "The server is out of reach. Check your connection, then try again." };

/** Null if the server has begun it. */
export async function beginSession(token: string): Promise<Refused | null> {
  return failureIn(await send("POST", { token }));
}

/** Null if the server has ended it. */
export async function endSession(): Promise<Refused | null> {
  const failure = await send("DELETE").then(failureIn, () => OUT_OF_REACH);
  if (!failure) window.localStorage.removeItem(SIGNED_IN);
  return failure;
}

/** The host of the provider that people can sign in at; null if there is none. */
export async function providerOfServer(): Promise<string | null> {
  const response = await send("GET").catch(() => null);
  const offer = response?.ok ? ((await response.json()) as { provider: string | null }) : null;
  return offer?.provider ?? null;
}

function send(method: string, body?: object): Promise<Response> {
  return fetch("/editor/session", { method, headers: { "Content-Type": "application/json" }, ...(body && { body: JSON.stringify(body) }) });
}

async function failureIn(response: Response): Promise<Refused | null> {
  if (response.ok) return null;
  const said = (await response.json().catch(() => null)) as { errors?: { message: string; extensions: { code: string } }[] } | null;
  const first = said?.errors?.[0];
  return { code: first?.extensions.code ?? "UNKNOWN", message: first?.message ?? `The server answered with ${response.status}.` };
}
