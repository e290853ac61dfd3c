// What is done with several posts at once. The rule: the server changes all of them or none.
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { ChoicesQuery } from "../documents";
import { graphql } from "../gql";
import type { DeskItemFragment, UpdatePostsInput } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { Labelled } from "../ui/labelled";
import { useAllTags } from "../writing/all-tags";

const UpdatePosts = graphql(`
  mutation UpdatePosts($input: UpdatePostsInput!) {
    updatePosts(input: $input) {
      posts {
        id
      }
      userErrors {
        message
      }
    }
  }
`);

const DeletePosts = graphql(`
  mutation DeletePosts($input: DeletePostsInput!) {
    deletePosts(input: $input) {
      deletedIds
      userErrors {
        message
      }
    }
  }
`);

const ACTIONS = { addTag: "Give a tag", removeTag: "Take a tag away", author: "Change the author", publish: "Publish now", draft: "Make drafts again", delete: "Delete" };
type Action = keyof typeof ACTIONS;

/** `slug`: of the tag or author. */
function changesOf(action: Action, slug: string): Omit<UpdatePostsInput, "posts"> {
  switch (action) {
    case "addTag":
      return { addTagSlugs: [slug] };
    case "removeTag":
      return { removeTagSlugs: [slug] };
    case "author":
      return { authorSlugs: [slug] };
    default:
      return { publish: action === "publish" };
  }
}

export function Bulk({ posts, onDone }: { posts: DeskItemFragment[]; onDone: () => void }) {
  const { tags } = useAllTags();
  const [{ data }] = useQuery({ query: ChoicesQuery, variables: {} });
  const { ask, problem, setProblem, isBusy } = useAsked();
  const [action, setAction] = useState<Action>("addTag");
  const [slug, setSlug] = useState("");
  const choices = action === "author" ? data?.authors.nodes : action === "addTag" || action === "removeTag" ? tags : null;
  const count = posts.length === 1 ? "1 post" : `${posts.length} posts`;
  const apply = async (event: FormEvent) => {
    event.preventDefault();
    const versions = posts.map(({ id, version }) => ({ id, expectedVersion: version }));
    if (action === "delete") {
      if (!window.confirm(`Delete ${count}? They cannot be restored.`)) return;
      if (await ask(DeletePosts, { input: { posts: versions } }, ({ deletePosts }) => deletePosts)) onDone();
      return;
    }
    if (choices !== null && slug === "") return setProblem(action === "author" ? "Which author?" : "Which tag?");
    const input = { posts: versions, ...changesOf(action, slug) };
    if (await ask(UpdatePosts, { input }, ({ updatePosts }) => updatePosts)) onDone();
  };
  return (
    <form className="panel bulk" onSubmit={(event) => void apply(event)}>
      <Labelled label={`With ${count}`}>
        {(control) => (
          <select
            {...control}
            value={action}
            onChange={({ target }) => {
              setAction(target.value as Action);
              setSlug("");
            }}
          >
            {Object.entries(ACTIONS).map(([name, shown]) => (
              <option key={name} value={name}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {choices === null ? null : (
        <Labelled label={action === "author" ? "Author" : "Tag"}>
          {(control) => (
            <select {...control} value={slug} onChange={({ target }) => setSlug(target.value)}>
              <option value="">Choose</option>
              {choices?.map((choice) => (
                <option key={choice.id} value={choice.slug}>
                  {choice.name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      )}
      <button type="submit" className="button main" disabled={isBusy}>
        Apply
      </button>
      <p className="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
