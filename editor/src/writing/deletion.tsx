// Deletes a post or a page, after a question that names it.
import { useState } from "react";
import { useClient } from "urql";
import { DeletePage, DeletePost } from "../page-documents";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { replaceWith } from "../routing/place";
import { removeText } from "./kept-text";
import { sentence } from "./problems";
import { type Edited, kindOf } from "./values";

/** `version`: the one that the writer has seen. */
export function Deletion({ content, version }: { content: Edited; version: number }) {
  const client = useClient();
  const [problem, setProblem] = useState("");
  const kind = kindOf(content);
  const remove = async () => {
    if (!window.confirm(`Delete “${content.title}” with all its versions? This cannot be undone.`)) return;
    const input = { id: content.id, expectedVersion: version };
    const answer =
      kind === "page"
        ? await client.mutation(DeletePage, { input }).then(({ data, error }) => ({ error, payload: data?.deletePage }))
        : await client.mutation(DeletePost, { input }).then(({ data, error }) => ({ error, payload: data?.deletePost }));
    const refused = answer.payload?.userErrors[0]?.message;
    if (answer.error) return setProblem(`${failureOf(answer.error).title}. ${failureOf(answer.error).text}`);
    if (refused !== undefined) return setProblem(sentence(refused));
    removeText(content.id);
    return replaceWith(kind === "page" ? addressOf.pages : addressOf.desk);
  };
  return (
    <section className="deletion" aria-label="Delete">
      <button type="button" className="button quiet bad" onClick={() => void remove()}>
        Delete this {kind}
      </button>
      <p className="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}
