// The measured queries, for each dialect, and the form in which their answers are compared. The rule: all servers are asked for the same; only
// names differ.

export const CARD = "slug title excerpt publishedAt authors { slug name } categories { slug name } tags { slug name }";
const PAGE = `nodes { ${CARD} } pageInfo { hasNextPage endCursor }`;

const TIDINGS = {
  q1: `{ posts(first: 20) { ${PAGE} } }`,
  q2: `query ($slug: String!) { post(slug: $slug) { ${CARD} body { markdown } } }`,
  q3: "query ($slug: String!) { tag(slug: $slug) { slug name posts(first: 20) { nodes { slug title excerpt publishedAt authors { slug name } } } } }",
  q4: `query ($after: String!) { posts(first: 20, after: $after) { ${PAGE} } }`,
  q5: "{ authors(first: 10) { nodes { slug name posts(first: 5) { nodes { slug title publishedAt tags { slug name } } } } } }",
  html: "query ($slug: String!) { post(slug: $slug) { slug title body { html } } }",
  skip: "query ($after: String) { posts(first: 100, after: $after) { pageInfo { endCursor } } }",
};

const TERMS = (kind, term) => `${kind}: post${kind[0].toUpperCase()}${kind.slice(1)}ByPostId(orderBy: POSITION_ASC) { nodes { term: ${term} { slug name } } }`;
const AUTHORS = TERMS("authors", "authorByAuthorId");
const TAGS = TERMS("tags", "tagByTagId");
const PG_CARD = `slug title excerpt publishedAt ${AUTHORS} ${TERMS("categories", "categoryByCategoryId")} ${TAGS}`;
const PG_PAGE = `nodes { ${PG_CARD} } pageInfo { hasNextPage endCursor }`;
const NEWEST = "orderBy: [PUBLISHED_AT_DESC, ROW_ID_DESC]";
const NEWEST_OF_TERM = "orderBy: [PUBLISHED_AT_DESC, POST_ID_DESC]";

const POSTGRAPHILE = {
  q1: `{ posts: allPosts(first: 20, ${NEWEST}) { ${PG_PAGE} } }`,
  q2: `query ($slug: String!) { post: postBySlug(slug: $slug) { ${PG_CARD} markdown } }`,
  q3: `query ($slug: String!) { tag: tagBySlug(slug: $slug) { slug name posts: postTagsByTagId(first: 20, ${NEWEST_OF_TERM})
    { nodes { post: postByPostId { slug title excerpt publishedAt ${AUTHORS} } } } } }`,
  q4: `query ($after: Cursor!) { posts: allPosts(first: 20, after: $after, ${NEWEST}) { ${PG_PAGE} } }`,
  q5: `{ authors: allAuthors(first: 10, orderBy: SLUG_ASC) { nodes { slug name posts: postAuthorsByAuthorId(first: 5, ${NEWEST_OF_TERM})
    { nodes { post: postByPostId { slug title publishedAt ${TAGS} } } } } } }`,
  html: "query ($slug: String!) { post: postBySlug(slug: $slug) { slug title html } }",
  skip: `query ($after: Cursor) { posts: allPosts(first: 100, after: $after, ${NEWEST}) { pageInfo { endCursor } } }`,
};

const DOCUMENTS = { tidings: TIDINGS, postgraphile: POSTGRAPHILE };

/** About rendering, so not measured on Azurite, where storage decides. */
const HTML = { document: "html", isOfFiles: true };

/** `variables` takes the slugs of the corpus (queries.json) and the cursor after which Q4 reads. */
export const QUERIES = [
  { name: "q1", title: "Q1", about: "the latest 20 posts with authors, categories and tags", document: "q1", variables: () => ({}) },
  { name: "q2", title: "Q2", about: "one post with its body", document: "q2", variables: ({ post }) => ({ slug: post }) },
  { name: "q3", title: "Q3", about: "the 20 latest posts of a tag with authors", document: "q3", variables: ({ tag }) => ({ slug: tag }) },
  { name: "q4", title: "Q4", about: "as Q1, after 5,000 posts", document: "q4", variables: ({ after }) => ({ after }) },
  { name: "q5", title: "Q5", about: "10 authors with 5 posts each, with tags", document: "q5", variables: () => ({}) },
  { ...HTML, name: "html4", title: "HTML 4 KB", about: "one post with its rendered body of 4 KB", variables: ({ post4KB }) => ({ slug: post4KB }) },
  { ...HTML, name: "html40", title: "HTML 40 KB", about: "one post with its rendered body of 40 KB", variables: ({ post40KB }) => ({ slug: post40KB }) },
];

export const QUICK_QUERIES = ["q1", "q2", "q3", "q4", "q5"];

/** The body of a request. */
export function requestOf(dialect, query, values) {
  return JSON.stringify({ query: DOCUMENTS[dialect][query.document], variables: query.variables(values) });
}

/** The body of a request for the cursor after the next 100 posts. */
export function skipRequest(dialect, after) {
  return JSON.stringify({ query: DOCUMENTS[dialect].skip, variables: { after } });
}

/** The data of an answer without what only one dialect has: cursors, the wrappers of relations, the notation of times. */
export function normalised(value) {
  if (Array.isArray(value)) return value.map((item) => normalised(withoutWrapper(item)));
  if (value === null || typeof value !== "object") return value;
  const { nodes, pageInfo, body, ...rest } = value;
  if (nodes) return pageInfo ? { nodes: normalised(nodes), hasNextPage: pageInfo.hasNextPage } : normalised(nodes);
  const fields = Object.entries({ ...rest, ...body }).map(([name, field]) => [name, name === "publishedAt" ? new Date(field).toISOString() : normalised(field)]);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** PostGraphile has the row of a relation table around each related row. */
function withoutWrapper(item) {
  const { term, post } = item ?? {};
  return term ?? post ?? item;
}
