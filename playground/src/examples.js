// The tabs that are open at first. The rule: each runs on any blog; a value that must exist, such as a slug, is a variable with a value of this blog.

const LATEST = `# The latest posts with their authors and tags.
# Ctrl-Enter or the play button runs the query,
# Ctrl-Space lists the other fields of a post, and
# the book on the left documents all queries.
query Latest {
  posts(first: 5) {
    nodes {
      title
      slug
      publishedAt
      authors { name }
      tags { name }
    }
    totalCount
    pageInfo { hasNextPage endCursor }
  }
}
`;

const POST = `# One post by its slug, with its text and the next
# newer and older post. The slug is a variable below.
query Post($slug: String!) {
  post(slug: $slug) {
    title
    publishedAt
    authors { name url }
    categories { name }
    body { html wordCount readingMinutes }
    newer { title slug }
    older { title slug }
  }
}
`;

const TAG = `# A tag, its newest posts, and their number.
query Tag($slug: String!) {
  tag(slug: $slug) {
    name
    description
    posts(first: 5) {
      nodes { title slug publishedAt }
      totalCount
    }
  }
}
`;

const FILTER = `# Posts that have all of some tags and at least
# one of others. The same filter can also have
# categories, authors and dates.
query Filter($all: [String!], $any: [String!]) {
  posts(first: 5, filter: { tags: { all: $all, any: $any } }) {
    nodes {
      title
      slug
      tags { slug }
    }
    totalCount
  }
}
`;

const SEARCH = `# Posts and pages that have some words, the best
# first, with these words marked. A word may be
# misspelt: "suggestion" has it corrected.
query Search($text: String!) {
  search(query: $text, first: 5) {
    edges {
      node { title canonicalUrl }
      highlights { field html }
    }
    suggestion
    pageInfo { hasNextPage endCursor }
  }
}
`;

const ARCHIVE = `# The archive: each month with its number of posts,
# and the newest posts of each month of one year.
query Archive($year: Int) {
  archive { year month postCount }
  oneYear: archive(year: $year) {
    month
    posts(first: 3) { nodes { title slug } }
  }
}
`;

const BACKWARD = `# From the end of the list to its start, at the same
# cost as forward. For the previous page, copy
# "startCursor" into the variable "before".
query Backward($before: String) {
  posts(last: 5, before: $before) {
    nodes { title publishedAt }
    pageInfo { hasPreviousPage startCursor }
  }
}
`;

const COST = `# What a query costs: "Plan" on the left shows each
# storage request, the round trip that it belonged to,
# and the field that it served. Point at a bar or at
# a field. "Plan without running" shows the most that
# the query can cost.
query Cost {
  posts(first: 20) {
    nodes { title authors { name } tags { name } }
    totalCount
  }
}
`;

const DRAFTS = `# Drafts and scheduled posts. They need a token:
# enter yours at "Token" above.
query Drafts {
  draftPosts(first: 5) {
    nodes { title status updatedAt authors { name } }
    totalCount
  }
  scheduledPosts(first: 5) {
    nodes { title publishedAt }
  }
}
`;

const CREATE = `# A mutation. It needs a token that can write, and
# creates a real draft in this blog. "userErrors"
# lists what you can correct.
mutation Create($title: String!, $markdown: String!) {
  createPost(input: { title: $title, markdown: $markdown }) {
    post { id slug status version }
    userErrors { code field message }
  }
}
`;

const CHANGES = `# What changes, as soon as it changes. Run it, then
# run "Create" in another window: with a token, you
# see the draft too.
subscription Changes {
  changes {
    changes { nodeType slug actions occurredAt }
    endCursor
  }
}
`;

const json = (value) => JSON.stringify(value, null, 2);

/** The examples for a blog with these slugs. */
export function examplesFor({ post, year, tags }) {
  const tag = tags[0] ?? "a-tag";
  return [
    { query: LATEST },
    { query: POST, variables: json({ slug: post }) },
    { query: TAG, variables: json({ slug: tag }) },
    { query: FILTER, variables: json({ all: [tag], any: tags.length > 1 ? tags.slice(1) : [tag] }) },
    { query: SEARCH, variables: json({ text: tag.replaceAll("-", " ") }) },
    { query: ARCHIVE, variables: json({ year }) },
    { query: BACKWARD, variables: json({ before: null }) },
    { query: COST },
    { query: DRAFTS },
    { query: CREATE, variables: json({ title: "Hello from the playground", markdown: "*Hello.*" }) },
    { query: CHANGES },
  ];
}

/** The text of the first example, which is run without a click. */
export const LANDING = LATEST;
