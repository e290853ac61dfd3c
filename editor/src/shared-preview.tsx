// A draft, shown to anyone who has its link.
import { useEffect, useMemo, useState } from "react";
import { CombinedError, Provider, useQuery } from "urql";
import { makeClient } from "./graphql/client";
import { Cover } from "./media/cover";
import { PreviewQuery } from "./page-documents";
import { useTitle } from "./ui/page";
import { FailedView, Loading, NotFound } from "./ui/states";
import { Body } from "./writing/body";

/** What every preview token begins with. */
const PREFIX = "tdp_";
const INCOMPLETE = new CombinedError({ graphQLErrors: [{ message: "The link has no token.", extensions: { code: "BAD_PREVIEW" } }] });

export function SharedPreview() {
  const token = useTokenOfAddress();
  const client = useMemo(() => makeClient(token), [token]);
  return (
    <main id="main">
      {token.startsWith(PREFIX) ? (
        <Provider value={client}>
          <Preview key={token} token={token} />
        </Provider>
      ) : (
        <FailedView error={INCOMPLETE} onRetry={() => window.location.reload()} />
      )}
    </main>
  );
}

/** The token after the `#`. Another link that is opened in this tab changes only that; so does a link to a part of the page, which has no token. */
function useTokenOfAddress(): string {
  const [token, setToken] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    const take = () => {
      const part = window.location.hash.slice(1);
      if (part.startsWith(PREFIX)) setToken(part);
    };
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return token;
}

function Preview({ token }: { token: string }) {
  const [{ data, error }, again] = useQuery({ query: PreviewQuery, variables: { token } });
  const content = data?.preview;
  useTitle(content ? `Preview: ${content.title}` : undefined);
  if (error && !content) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <Loading what="the preview" />;
  if (!content) return <NotFound what="text any more" />;
  return (
    <article className="page shared">
      <p className="notice">A preview of the text in its current state. Anyone who has the link can see it.</p>
      <header className="page-head">
        <h1>{content.title}</h1>
        {content.subtitle ? <p className="subtitle">{content.subtitle}</p> : null}
      </header>
      {content.cover ? <Cover picture={content.cover} /> : null}
      <Body html={content.body.html} />
    </article>
  );
}
