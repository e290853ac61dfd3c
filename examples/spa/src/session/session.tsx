// Who is signed in. The rule: the token lives in this tab's sessionStorage and goes to no address but the server's.
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

/** Each session has a client and a cache of its own, so that nothing of an editor's is left when one signs out. */
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
