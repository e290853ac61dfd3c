// The tabs that a visitor finds. The rule: each runs on any blog; what must be named, such as a slug, is a variable whose value this blog has.

const LATEST = `# The latest posts with their authors and tags.
# Ctrl-Enter or the play button runs the query,
# Ctrl-Space shows what else a post has, and the
# book on the left what there is to ask for.
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

const POST = `# One post by its slug, with its text and the
# posts beside it. The slug is a variable: below.
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

const TAG = `# A tag, its newest posts, and how many it has.
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

const FILTER = `# Posts that bear all of some tags and at least
# one of others. Categories, authors and dates
# can stand in the same filter.
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

const ARCHIVE = `# The archive: each month with its number of
# posts, and the newest posts of one year's months.
query Archive($year: Int) {
  archive { year month postCount }
  oneYear: archive(year: $year) {
    month
    posts(first: 3) { nodes { title slug } }
  }
}
`;

const BACKWARD = `# From the list's end toward its start, at the same
# price as forward. For the page before this one,
# copy "startCursor" into the variable "before".
query Backward($before: String) {
  posts(last: 5, before: $before) {
    nodes { title publishedAt }
    pageInfo { hasPreviousPage startCursor }
  }
}
`;

const COST = `# What a query costs in the storage: what is read,
# in how many round trips, and the most it could
# cost. Tick "Storage cost" above and run it. It is
# told to whoever bears a token that sees all drafts,
# and to all by "tidings serve --tell-storage".
query Cost {
  posts(first: 20) {
    nodes { title authors { name } tags { name } }
    totalCount
  }
}
`;

const DRAFTS = `# Drafts and scheduled posts, for those who bear a
# token: give yours by "Token" above.
query Drafts {
  drafts(first: 5) {
    nodes { title status updatedAt authors { name } }
    totalCount
  }
  scheduledPosts(first: 5) {
    nodes { title publishedAt }
  }
}
`;

const CREATE = `# A mutation: it needs a token that may write, and
# makes a real draft in this blog. What you can mend
# is told in "userErrors".
mutation Create($title: String!, $markdown: String!) {
  createPost(input: { title: $title, markdown: $markdown }) {
    post { id slug status version }
    userErrors { code field message }
  }
}
`;

const json = (value) => JSON.stringify(value, null, 2);

/** The examples for a blog that has these slugs. */
export function examplesFor({ post, year, tags }) {
  const tag = tags[0] ?? "a-tag";
  return [
    { query: LATEST },
    { query: POST, variables: json({ slug: post }) },
    { query: TAG, variables: json({ slug: tag }) },
    { query: FILTER, variables: json({ all: [tag], any: tags.length > 1 ? tags.slice(1) : [tag] }) },
    { query: ARCHIVE, variables: json({ year }) },
    { query: BACKWARD, variables: json({ before: null }) },
    { query: COST },
    { query: DRAFTS },
    { query: CREATE, variables: json({ title: "Hello from the playground", markdown: "*Hello.*" }) },
  ];
}

/** Whether this text is the first example, as it was given. */
export const isLanding = (text) => text === LATEST;
