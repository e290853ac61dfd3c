// The queries and mutations of posts. Every change names the version that it is based on.
import { graphql } from "./gql";

graphql(`
  fragment Picture on Image {
    id
    url(width: 480)
    width
    height
    alt
    focalPoint {
      x
      y
    }
  }
`);

graphql(`
  fragment EditedPost on Post {
    id
    version
    slug
    title
    subtitle
    excerpt
    excerptIsGenerated
    featured
    status
    publishedAt
    unpublishAt
    canonicalUrl
    language
    metadata
    viewerCanUpdate
    cover {
      ...Picture
    }
    enclosure {
      url
      byteSize
      contentType
    }
    body {
      markdown
      html
    }
    authors {
      id
      slug
      name
    }
    categories {
      id
      slug
      name
    }
    tags {
      id
      slug
      name
    }
    series {
      series {
        id
        slug
        name
      }
    }
  }
`);

graphql(`
  fragment PostProblem on UserError {
    code
    field
    message
    ... on ConflictError {
      current {
        id
        ...EditedPost
      }
    }
  }
`);

graphql(`
  fragment PostChange on PostPayload {
    post {
      ...EditedPost
    }
    userErrors {
      ...PostProblem
    }
  }
`);

graphql(`
  fragment Following on PageInfo {
    hasNextPage
    endCursor
  }
`);

export const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      kind
      name
      role
      author {
        id
        slug
      }
    }
  }
`);

graphql(`
  fragment DeskItem on Post {
    id
    version
    title
    status
    publishedAt
    updatedAt
    cover {
      id
      url(width: 160)
      focalPoint {
        x
        y
      }
    }
    author {
      id
      name
    }
  }
`);

export const DeskQuery = graphql(`
  query Desk {
    draftPosts(first: 10) {
      nodes {
        ...DeskItem
      }
      totalCount
    }
    scheduledPosts(first: 10) {
      nodes {
        ...DeskItem
      }
      totalCount
    }
    posts(first: 10) {
      nodes {
        ...DeskItem
      }
      totalCount
    }
  }
`);

export const DraftsQuery = graphql(`
  query Drafts($first: Int, $after: String) {
    draftPosts(first: $first, after: $after) {
      nodes {
        ...DeskItem
      }
      totalCount
      pageInfo {
        ...Following
      }
    }
  }
`);

export const ScheduledQuery = graphql(`
  query Scheduled($first: Int, $after: String) {
    scheduledPosts(first: $first, after: $after) {
      nodes {
        ...DeskItem
      }
      totalCount
      pageInfo {
        ...Following
      }
    }
  }
`);

export const PublishedQuery = graphql(`
  query Published($first: Int, $after: String) {
    posts(first: $first, after: $after) {
      nodes {
        ...DeskItem
      }
      totalCount
      pageInfo {
        ...Following
      }
    }
  }
`);

graphql(`
  fragment VersionItem on Revision {
    id
    version
    changedAt
    changedBy {
      kind
      name
    }
    changedFields
  }
`);

export const HistoryQuery = graphql(`
  query History($id: ID!) {
    node(id: $id) {
      id
      ... on Post {
        version
        revisions(first: 20) {
          nodes {
            ...VersionItem
          }
        }
      }
      ... on Page {
        version
        revisions(first: 20) {
          nodes {
            ...VersionItem
          }
        }
      }
    }
  }
`);

export const ViewsQuery = graphql(`
  query Views($id: ID!) {
    node(id: $id) {
      id
      ... on Post {
        viewsByDay {
          day
          views
        }
      }
    }
  }
`);

export const VersionQuery = graphql(`
  query Version($id: ID!) {
    node(id: $id) {
      id
      ... on Revision {
        title
        body {
          markdown
        }
      }
    }
  }
`);

export const ChoicesQuery = graphql(`
  query Choices {
    categories(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
    authors(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
    allSeries(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
  }
`);

export const RenderedQuery = graphql(`
  query Rendered($markdown: String!) {
    renderedMarkdown(markdown: $markdown) {
      html
    }
  }
`);

export const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      ...PostChange
    }
  }
`);

export const UpdatePost = graphql(`
  mutation UpdatePost($input: UpdatePostInput!) {
    updatePost(input: $input) {
      ...PostChange
    }
  }
`);

export const RestorePost = graphql(`
  mutation RestorePost($input: RestoreRevisionInput!) {
    restoreRevision(input: $input) {
      ...PostChange
    }
  }
`);

export const CreatePreview = graphql(`
  mutation CreatePreview($input: CreatePreviewInput!) {
    createPreview(input: $input) {
      preview {
        token
        expiresAt
      }
      userErrors {
        code
        field
        message
      }
    }
  }
`);
