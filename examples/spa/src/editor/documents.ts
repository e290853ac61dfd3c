// The queries and mutations of the editor. Every change names the version that it is based on.
import { graphql } from "../gql";

graphql(`
  fragment EditedPost on Post {
    id
    version
    slug
    title
    subtitle
    excerpt
    featured
    status
    publishedAt
    unpublishAt
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
  }
`);

graphql(`
  fragment PostChange on PostPayload {
    post {
      ...EditedPost
    }
    userErrors {
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
  }
`);

graphql(`
  fragment DeskItem on Post {
    id
    title
    status
    publishedAt
    updatedAt
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

export const DeskQuery = graphql(`
  query Desk {
    viewer {
      kind
      name
      role
    }
    draftPosts(first: 50) {
      nodes {
        ...DeskItem
      }
      totalCount
    }
    scheduledPosts(first: 50) {
      nodes {
        ...DeskItem
      }
      totalCount
    }
    posts(first: 10) {
      nodes {
        ...DeskItem
      }
    }
  }
`);

export const EditedPostQuery = graphql(`
  query EditedPost($id: ID!) {
    node(id: $id) {
      id
      ... on Post {
        ...EditedPost
      }
    }
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
            id
            version
            changedAt
            changedBy {
              kind
              name
            }
            changedFields
          }
        }
      }
    }
  }
`);

export const ChoicesQuery = graphql(`
  query Choices {
    viewer {
      role
      author {
        id
        slug
      }
    }
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

export const RestoreRevision = graphql(`
  mutation RestoreRevision($input: RestoreRevisionInput!) {
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
