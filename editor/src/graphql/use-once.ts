// A query that is sent to the server once, for a view whose own state must not be lost when the cache is refreshed.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useState } from "react";
import { type AnyVariables, type CombinedError, useClient } from "urql";

interface Asked<Data> {
  data?: Data;
  error?: CombinedError;
}

export function useOnce<Data, Variables extends AnyVariables>(query: TypedDocumentNode<Data, Variables>, variables: Variables) {
  const client = useClient();
  const [asked, setAsked] = useState<Asked<Data>>({});
  const [tries, setTries] = useState(0);
  const key = JSON.stringify(variables);
  useEffect(() => {
    let isCurrent = true;
    void client.query(query, JSON.parse(key) as Variables, { requestPolicy: "network-only" }).then(({ data, error }) => {
      if (isCurrent) setAsked({ ...(data !== undefined && { data }), ...(error && { error }) });
    });
    return () => {
      isCurrent = false;
    };
  }, [client, query, key, tries]);
  const again = () => {
    setAsked({});
    setTries((count) => count + 1);
  };
  return { ...asked, again };
}
