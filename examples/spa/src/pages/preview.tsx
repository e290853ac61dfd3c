// A draft, shown to anyone who has its link. It is the page of a published post, read with the token of the link.
import { useEffect, useMemo, useState } from "react";
import { CombinedError, Provider, useQuery } from "urql";
import { makeClient } from "../graphql/client";
import { PostQuery } from "../posts/documents";
import { WholePost, WholePostToCome } from "../posts/whole-post";
import { useTitle } from "../ui/page";
import { FailedView } from "../ui/states";
import { NotFoundPage } from "./not-found";

/** What every preview token begins with. */
const PREFIX = "tdp_";
const INCOMPLETE = new CombinedError({ graphQLErrors: [{ message: "The link has no token.", extensions: { code: "BAD_PREVIEW" } }] });

export function PreviewPage({ slug }: { slug: string }) {
  const token = useTokenOfAddress();
  const client = useMemo(() => makeClient(token), [token]);
  if (!token.startsWith(PREFIX)) return <FailedView error={INCOMPLETE} onRetry={() => window.location.reload()} />;
  return (
    <Provider value={client}>
      <Preview key={token} slug={slug} />
    </Provider>
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

function Preview({ slug }: { slug: string }) {
  const [{ data, error }, again] = useQuery({ query: PostQuery, variables: { slug } });
  const post = data?.post;
  useTitle(post ? `Preview: ${post.title}` : undefined);
  if (error && !post) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <WholePostToCome />;
  if (!post) return <NotFoundPage what="post any more" />;
  return <WholePost post={post} notice={<p className="notice">A preview of the post in its current state. Anyone who has the link can see it.</p>} />;
}
