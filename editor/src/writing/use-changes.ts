// Every change that the editor makes to a post or page. The rule: each results in its current state, in errors that the writer can correct, or in a
// conflict that names the other editors; nothing else is discarded or assumed.
import { useState } from "react";
import { type AnyVariables, type Client, type CombinedError, type DocumentInput, type OperationResult, useClient } from "urql";
import type { PageChangeFragment, PostChangeFragment, VersionItemFragment } from "../gql/graphql";
import { HistoryQuery } from "../documents";
import { failureOf } from "../graphql/failure";
import { type Edited, type Field, fieldOf } from "./values";

type UserError = PostChangeFragment["userErrors"][number] | PageChangeFragment["userErrors"][number];
export type Revision = VersionItemFragment;
/** What the mutations answer. */
export type Answer = Partial<Pick<PostChangeFragment, "post">> & Partial<Pick<PageChangeFragment, "page">> & { userErrors: UserError[] };

export interface Conflict {
  theirs: Edited;
  /** The changes since the writer's version, newest first. */
  since: Revision[];
}

/** `isReused`: the key of the creation was used, and its text is gone. */
export type Refusal = { refused: true; isDefinite: boolean; isReused: boolean };
export type Outcome = { content: Edited } | { conflict: Conflict } | Refusal;

/** These depend on the input alone, so an earlier request with it was refused too. After any other error, the server may have made the change. */
const OF_THE_INPUT = ["BAD_USER_INPUT", "BAD_REQUEST", "GRAPHQL_VALIDATION_FAILED", "PAYLOAD_TOO_LARGE"];

/** An error beside its field, or beside none. */
export interface Shown {
  field: Field | undefined;
  message: string;
}

export interface Changes {
  isBusy: boolean;
  error: CombinedError | null;
  userErrors: Shown[];
  /** Shows errors that were found before anything was sent. */
  show: (errors: Shown[]) => void;
  /** These fields were edited, so their errors may be corrected. */
  clearErrorsOf: (fields: Field[]) => void;
  /** `version`: the one that the change is based on; null for a new text. */
  change: <Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
    answerOf: (data: Data) => Answer | null | undefined,
    version: number | null,
  ) => Promise<Outcome>;
}

export function useChanges(): Changes {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError | null>(null);
  const [userErrors, setUserErrors] = useState<Shown[]>([]);

  const refuse = (failed: CombinedError | undefined, errors: UserError[]): Outcome => {
    setError(failed ?? null);
    setUserErrors(errors.map(({ field, message }) => ({ field: fieldOf(field), message })));
    const isDefinite = failed ? OF_THE_INPUT.includes(failureOf(failed).code) : errors.length > 0;
    return { refused: true, isDefinite, isReused: errors.some(({ code }) => code === "KEY_REUSED") };
  };

  const change: Changes["change"] = async (document, variables, answerOf, version) => {
    setBusy(true);
    refuse(undefined, []);
    try {
      const { data, error: failed }: OperationResult = await client.mutation(document, variables);
      const answer = data ? answerOf(data) : null;
      if (!answer) return refuse(failed, []);
      const theirs = answer.userErrors.map(currentOf).find((current) => current !== null) ?? null;
      if (version !== null && theirs) return { conflict: await conflictWith(client, theirs, version) };
      const content = answer.post ?? answer.page;
      return content ? { content } : refuse(failed, answer.userErrors);
    } finally {
      setBusy(false);
    }
  };

  const clearErrorsOf = (fields: Field[]) => {
    setUserErrors((now) => now.filter(({ field }) => field === undefined || !fields.includes(field)));
  };
  const show = (errors: Shown[]) => {
    setError(null);
    setUserErrors(errors);
  };
  return { isBusy, error, userErrors, show, clearErrorsOf, change };
}

/** What has changed since a version, and by whom. */
export async function conflictWith(client: Client, theirs: Edited, version: number): Promise<Conflict> {
  const history = await client.query(HistoryQuery, { id: theirs.id }, { requestPolicy: "network-only" });
  const found = history.data?.node;
  const revisions = (found && "revisions" in found ? found.revisions?.nodes : null) ?? [];
  return { theirs, since: revisions.filter((revision) => revision.version > version) };
}

/** The post or page as it is now, if the error says that somebody has changed it. */
function currentOf(error: UserError): Edited | null {
  return "current" in error && "version" in error.current ? error.current : null;
}
