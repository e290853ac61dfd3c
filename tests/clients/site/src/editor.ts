// The editor: every way to change a post, and what to show if a change is refused.
import type { ResultOf, TadaDocumentNode } from 'gql.tada';
import { graphql, type Client } from './client';

const EditorPost = graphql(`
  fragment EditorPost on Post {
    __typename
    id
    version
    slug
    title
    excerpt
    excerptIsGenerated
    status
    publishedAt
    body { markdown }
    authors { slug }
    categories { slug }
    tags { slug }
  }
`);

const Problem = graphql(
  `
  fragment Problem on UserError {
    __typename
    message
    field
    ... on NotFoundError { slug suggestions }
    ... on ConflictError { current { __typename ...EditorPost } }
  }
`,
  [EditorPost],
);

const Outcome = graphql(
  `
  fragment Outcome on PostPayload {
    post { ...EditorPost }
    userErrors { ...Problem }
  }
`,
  [EditorPost, Problem],
);

export type EditorPost = ResultOf<typeof EditorPost>;
type Problem = ResultOf<typeof Problem>;
type Outcome = ResultOf<typeof Outcome>;

// ---- What a change returns

export interface FormErrors {
  /** Messages by the name of their input field, such as `tagSlugs`; those without an input field are in `form`. */
  fields: Record<string, string[]>;
  /** Slugs in `tagSlugs` that no tag has: offer the suggestions, or to create the tag. */
  missingTags: { slug: string; suggestions: string[] }[];
  /** The post as somebody else has saved it meanwhile. */
  theirs?: EditorPost;
}

export type Result<Value> = { value: Value; errors?: never } | { value?: never; errors: FormErrors };

function result<Value>(value: Value | null | undefined, problems: Problem[] = []): Result<Value> {
  if (value != null) return { value };
  const errors: FormErrors = { fields: {}, missingTags: [] };
  for (const problem of problems) {
    const isConflict = problem.__typename === 'ConflictError';
    const field = isConflict ? 'form' : (problem.field?.at(-1) ?? 'form');
    const messages = (errors.fields[field] ??= []);
    messages.push(problem.message);
    if (isConflict && problem.current.__typename === 'Post') {
      errors.theirs = problem.current;
    }
    if (problem.__typename === 'NotFoundError' && field === 'tagSlugs' && problem.slug) {
      errors.missingTags.push({ slug: problem.slug, suggestions: problem.suggestions });
    }
  }
  return { errors };
}

// ---- Reading

const LoadPost = graphql(
  `
  query LoadPost($id: ID!) { node(id: $id) { __typename ...EditorPost } }
`,
  [EditorPost],
);

export async function loadPost(request: Client, id: string): Promise<EditorPost | null> {
  const { node } = await request(LoadPost, { id });
  return node?.__typename === 'Post' ? node : null;
}

const History = graphql(`
  query History($id: ID!) {
    node(id: $id) {
      __typename
      ... on Post {
        revisions(first: 50) {
          nodes { id version title changedAt changedBy { name } changedFields }
        }
      }
    }
  }
`);

/** The versions of a post, the current one first. */
export async function history(request: Client, id: string) {
  const { node } = await request(History, { id });
  return (node?.__typename === 'Post' && node.revisions?.nodes) || [];
}

// ---- Changing: each function takes the input of its mutation

const change =
  <Input>(document: TadaDocumentNode<{ outcome: Outcome | null }, { input: Input }>) =>
  async (request: Client, input: Input): Promise<Result<EditorPost>> => {
    const { outcome } = await request(document, { input });
    return result(outcome?.post, outcome?.userErrors);
  };

export const createPost = change(
  graphql(
    `
  mutation CreatePost($input: CreatePostInput!) { outcome: createPost(input: $input) { ...Outcome } }
`,
    [Outcome],
  ),
);

export const updatePost = change(
  graphql(
    `
  mutation UpdatePost($input: UpdatePostInput!) { outcome: updatePost(input: $input) { ...Outcome } }
`,
    [Outcome],
  ),
);

/** Publishes now, or schedules with `publishAt` in the future. */
export const publishPost = change(
  graphql(
    `
  mutation PublishPost($input: PublishPostInput!) { outcome: publishPost(input: $input) { ...Outcome } }
`,
    [Outcome],
  ),
);

export const unpublishPost = change(
  graphql(
    `
  mutation UnpublishPost($input: UnpublishPostInput!) { outcome: unpublishPost(input: $input) { ...Outcome } }
`,
    [Outcome],
  ),
);

export const restoreRevision = change(
  graphql(
    `
  mutation RestoreRevision($input: RestoreRevisionInput!) { outcome: restoreRevision(input: $input) { ...Outcome } }
`,
    [Outcome],
  ),
);

const DeletePost = graphql(
  `
  mutation DeletePost($input: DeleteInput!) {
    deletePost(input: $input) { deletedId userErrors { ...Problem } }
  }
`,
  [Problem],
);

export async function deletePost(request: Client, { id, version }: EditorPost): Promise<Result<string>> {
  const { deletePost } = await request(DeletePost, { input: { id, expectedVersion: version } });
  return result(deletePost?.deletedId, deletePost?.userErrors);
}

const CreatePreview = graphql(
  `
  mutation CreatePreview($input: CreatePreviewInput!) {
    createPreview(input: $input) { preview { token expiresAt } userErrors { ...Problem } }
  }
`,
  [Problem],
);

/** The token of a link that shows the post to people without an account. */
export async function createPreview(request: Client, { id }: EditorPost, expiresInMinutes = 60) {
  const { createPreview } = await request(CreatePreview, { input: { contentId: id, expiresInMinutes } });
  return result(createPreview?.preview, createPreview?.userErrors);
}

// ---- The form

export interface PostForm {
  title: string;
  slug: string;
  /** Empty: the server generates it from the text. */
  excerpt: string;
  markdown: string;
  authorSlugs: string[];
  categorySlugs: string[];
  tagSlugs: string[];
}

export const formOf = ({ title, slug, excerpt, excerptIsGenerated, body, authors, categories, tags }: EditorPost): PostForm => ({
  title,
  slug,
  excerpt: excerptIsGenerated ? '' : excerpt,
  markdown: body.markdown,
  authorSlugs: authors.map((author) => author.slug),
  categorySlugs: categories.map((category) => category.slug),
  tagSlugs: tags.map((tag) => tag.slug),
});

const changedFields = (before: PostForm, after: PostForm) =>
  (Object.keys(after) as (keyof PostForm)[]).filter((key) => String(before[key]) !== String(after[key]));

/** Saves the fields that differ from `loaded`. */
export function saveForm(request: Client, loaded: EditorPost, form: PostForm, createMissingTags = false) {
  const changed = changedFields(formOf(loaded), form).map((key) => [key, form[key]]);
  return updatePost(request, {
    id: loaded.id,
    expectedVersion: loaded.version,
    ...Object.fromEntries(changed),
    createMissingTags,
  });
}

/** Their form with my changes. In `clashes` are the fields that both have changed: there the person must decide. */
export function mergeForms(loaded: EditorPost, mine: PostForm, theirs: EditorPost) {
  const [base, other] = [formOf(loaded), formOf(theirs)];
  const myFields = changedFields(base, mine);
  const theirFields = changedFields(base, other);
  const merged: PostForm = { ...other, ...Object.fromEntries(myFields.map((key) => [key, mine[key]])) };
  const clashes = myFields.filter((key) => theirFields.includes(key) && String(mine[key]) !== String(other[key]));
  return { merged, clashes };
}
