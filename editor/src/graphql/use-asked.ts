// A mutation of a small form. The rule: what the server refused is a sentence beside the form, until the next attempt.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useState } from "react";
import { type AnyVariables, useClient } from "urql";
import { sentence } from "../writing/problems";
import { failureOf } from "./failure";

interface Payload {
  userErrors: { message: string; field?: string[] | null }[];
}

export function useAsked() {
  const client = useClient();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** The payload, or null if nothing was changed. */
  const ask = async <Data, Variables extends AnyVariables, Answer extends Payload>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    payloadOf: (data: Data) => Answer | null | undefined,
  ): Promise<Answer | null> => {
    setBusy(true);
    setProblem("");
    const { data, error } = await client.mutation(document, variables);
    setBusy(false);
    const payload = data ? payloadOf(data) : null;
    if (!payload) {
      const { title, text } = failureOf(error ?? { graphQLErrors: [] });
      setProblem(`${title}. ${text}`);
      return null;
    }
    if (payload.userErrors.length === 0) return payload;
    setProblem(payload.userErrors.map(({ message }) => sentence(message)).join(" "));
    return null;
  };
  return { ask, problem, setProblem, isBusy };
}
