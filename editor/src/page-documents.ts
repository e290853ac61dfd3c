// The queries and mutations of pages, and those that a post and a page share. Every change names the version that it is based on.
import { graphql } from "./gql";

graphql(`
  fragment EditedPage on Page {
    id
    version
    path
    title
    subtitle
    excerpt
    excerptIsGenerated
    status
    scheduledFor
    unpublishAt
    canonicalUrl
    language
    metadata
    order
    viewerCanUpdate
    cover {
      ...Picture
    }
    body {
      markdown
      html
    }
  }
`);

graphql(`
  fragment PageProblem on UserError {
    code
    field
    message
    ... on ConflictError {
      current {
        id
        ...EditedPage
      }
    }
  }
`);

graphql(`
  fragment PageChange on PagePayload {
    page {
      ...EditedPage
    }
    userErrors {
      ...PageProblem
    }
  }
`);

export const EditedQuery = graphql(`
  query Edited($id: ID!) {
    node(id: $id) {
      id
      ...EditedPost
      ...EditedPage
    }
  }
`);

export const WatchedQuery = graphql(`
  query Watched($id: ID!) @live {
    node(id: $id) {
      id
      ... on Post {
        version
      }
      ... on Page {
        version
      }
    }
  }
`);

graphql(`
  fragment PageItem on Page {
    id
    version
    title
    path
    order
    status
    scheduledFor
  }
`);

export const PublishedPagesQuery = graphql(`
  query PublishedPages($parent: String, $first: Int, $after: String) {
    pages(parentPath: $parent, first: $first, after: $after) {
      nodes {
        ...PageItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const DraftPagesQuery = graphql(`
  query DraftPages($parent: String, $first: Int, $after: String) {
    draftPages(parentPath: $parent, first: $first, after: $after) {
      nodes {
        ...PageItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const ScheduledPagesQuery = graphql(`
  query ScheduledPages {
    scheduledPages(first: 100) {
      nodes {
        ...PageItem
      }
      totalCount
    }
  }
`);

export const CreatePage = graphql(`
  mutation CreatePage($input: CreatePageInput!) {
    createPage(input: $input) {
      ...PageChange
    }
  }
`);

export const UpdatePage = graphql(`
  mutation UpdatePage($input: UpdatePageInput!) {
    updatePage(input: $input) {
      ...PageChange
    }
  }
`);

export const DeletePage = graphql(`
  mutation DeletePage($input: DeleteInput!) {
    deletePage(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);

export const DeletePost = graphql(`
  mutation DeletePost($input: DeleteInput!) {
    deletePost(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);

export const RestorePage = graphql(`
  mutation RestorePage($input: RestoreRevisionInput!) {
    restoreRevision(input: $input) {
      ...PageChange
    }
  }
`);

export const PreviewQuery = graphql(`
  query Preview($token: String!) {
    preview(token: $token) {
      id
      title
      subtitle
      cover {
        ...Picture
      }
      body {
        html
      }
    }
  }
`);
