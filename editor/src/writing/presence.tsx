// Who else has the text open. The rule: it keeps nobody from writing.
import { useEffect, useState } from "react";
import { graphql } from "../gql";
import type { EditingSubscription as Answer } from "../gql/graphql";
import { watch } from "../graphql/live";
import { canWrite, useSession } from "../session";
import { actorName, listOf } from "./words";

const EditingSubscription = graphql(`
  subscription Editing($id: ID!) {
    editing(id: $id) {
      kind
      name
    }
  }
`);

export function Presence({ id }: { id: string }) {
  const { viewer } = useSession();
  const [others, setOthers] = useState<Answer["editing"]>([]);
  const isWriter = canWrite(viewer);
  useEffect(() => (isWriter ? watch(EditingSubscription, { id }, ({ editing }) => setOthers(editing), "tidings.editing") : undefined), [id, isWriter]);
  return (
    <p className="hint" aria-live="polite">
      {others.length === 0 ? "" : `${listOf(others.map(actorName))} ${others.length === 1 ? "has" : "have"} this open too.`}
    </p>
  );
}
