// Every change that the editor makes to a post. The rule: each results in the current post, in errors that the writer can correct, or in a
// conflict that names the other editors; nothing else is discarded or assumed.
import { useState } from "react";
import { type AnyVariables, type CombinedError, type DocumentInput, type OperationResult, useClient } from "urql";
import type { EditedPostFragment, HistoryQuery as HistoryAnswer, PostChangeFragment } from "../gql/graphql";
import { HistoryQuery } from "./documents";
import type { Field } from "./values";

type UserError = PostChangeFragment["userErrors"][number];
export type Revision = NonNullable<Extract<HistoryAnswer["node"], { version: number }>["revisions"]>["nodes"][number];

export interface Conflict {
  theirs: EditedPostFragment;
  /** The changes since the writer's version, newest first. */
  since: Revision[];
}

export type Outcome = { post: EditedPostFragment } | { conflict: Conflict } | { refused: true };

export interface Changes {
  isBusy: boolean;
  error: CombinedError | null;
  userErrors: UserError[];
  /** These fields were edited, so their errors may be corrected. */
  clearErrorsOf: (fields: Field[]) => void;
  /** `version`: the one that the change is based on; null for a new post. */
  change: <Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
    answerOf: (data: Data) => PostChangeFragment | null | undefined,
    version: number | null,
  ) => Promise<Outcome>;
}

export function useChanges(): Changes {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError | null>(null);
  const [userErrors, setUserErrors] = useState<UserError[]>([]);

  const refuse = (failed: CombinedError | undefined, errors: UserError[]): Outcome => {
    setError(failed ?? null);
    setUserErrors(errors);
    return { refused: true };
  };

  const conflictWith = async (theirs: EditedPostFragment, version: number): Promise<Outcome> => {
    const history = await client.query(HistoryQuery, { id: theirs.id }, { requestPolicy: "network-only" });
    const found = history.data?.node;
    const revisions = (found && "revisions" in found ? found.revisions?.nodes : null) ?? [];
    return { conflict: { theirs, since: revisions.filter((revision) => revision.version > version) } };
  };

  const change: Changes["change"] = async (document, variables, answerOf, version) => {
    setBusy(true);
    refuse(undefined, []);
    try {
      const { data, error: failed }: OperationResult = await client.mutation(document, variables);
      const answer = data ? answerOf(data) : null;
      if (!answer) return refuse(failed, []);
      const theirs = answer.userErrors.map(currentOf).find((current) => current !== null) ?? null;
      if (version !== null && theirs) return await conflictWith(theirs, version);
      return answer.post ? { post: answer.post } : refuse(failed, answer.userErrors);
    } finally {
      setBusy(false);
    }
  };

  const clearErrorsOf = (fields: Field[]) => {
    setUserErrors((now) => now.filter(({ field }) => !fields.some((name) => name === field?.[1])));
  };
  return { isBusy, error, userErrors, clearErrorsOf, change };
}

/** The post as it is now, if the error says that somebody has changed it. */
function currentOf(error: UserError): EditedPostFragment | null {
  return "current" in error && "version" in error.current ? error.current : null;
}
