// The signed-in user. The rule: the token is stored in this tab's sessionStorage, and sent only to the server.
import { type ReactNode, createContext, useCallback, useContext, useMemo, useState } from "react";
import { Provider } from "urql";
import { makeClient } from "../graphql/client";

const STORED = "tidings.token";

interface Session {
  token: string | null;
  signIn: (token: string) => void;
  signOut: () => void;
}

const Context = createContext<Session | null>(null);

/** Each session has its own client and cache, so that no data of an editor remains after signing out. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [token, setToken] = useState(() => window.sessionStorage.getItem(STORED));
  const client = useMemo(() => makeClient(token), [token]);
  const signIn = useCallback((next: string) => {
    window.sessionStorage.setItem(STORED, next);
    setToken(next);
  }, []);
  const signOut = useCallback(() => {
    window.sessionStorage.removeItem(STORED);
    setToken(null);
  }, []);
  const session = useMemo(() => ({ token, signIn, signOut }), [token, signIn, signOut]);
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
