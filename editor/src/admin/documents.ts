// The queries and mutations of tokens, webhooks and the audit log.
import { graphql } from "../gql";

graphql(`
  fragment TokenItem on Token {
    id
    name
    role
    author {
      id
      name
    }
    createdAt
    expiresAt
    revokedAt
  }
`);

export const TokensQuery = graphql(`
  query Tokens($first: Int, $after: String) {
    tokens(first: $first, after: $after) {
      nodes {
        ...TokenItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const TokenAuthorsQuery = graphql(`
  query TokenAuthors {
    authors(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
  }
`);

export const CreateToken = graphql(`
  mutation CreateToken($input: CreateTokenInput!) {
    createToken(input: $input) {
      token {
        ...TokenItem
      }
      secret
      userErrors {
        message
      }
    }
  }
`);

export const RevokeToken = graphql(`
  mutation RevokeToken($input: RevokeTokenInput!) {
    revokeToken(input: $input) {
      token {
        ...TokenItem
      }
      userErrors {
        message
      }
    }
  }
`);

graphql(`
  fragment WebhookItem on Webhook {
    id
    url
    state
    digestSeconds
    types
    actions
    tagSlugs
    categorySlugs
    authorSlugs
    languages
    createdAt
    nextAttemptAt
  }
`);

export const WebhooksQuery = graphql(`
  query Webhooks {
    webhooks {
      ...WebhookItem
    }
  }
`);

export const WebhookQuery = graphql(`
  query OneWebhook($id: ID!) {
    node(id: $id) {
      id
      ... on Webhook {
        ...WebhookItem
        deliveries {
          at
          messageId
          outcome
          status
          attempt
          durationMilliseconds
          skipped
        }
      }
    }
  }
`);

export const CreateWebhook = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      webhook {
        ...WebhookItem
      }
      secret
      userErrors {
        message
      }
    }
  }
`);

export const UpdateWebhook = graphql(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) {
    updateWebhook(input: $input) {
      webhook {
        ...WebhookItem
      }
      userErrors {
        message
      }
    }
  }
`);

export const DeleteWebhook = graphql(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) {
    deleteWebhook(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);

export const RotateWebhookSecret = graphql(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) {
      secret
      userErrors {
        message
      }
    }
  }
`);

export const TestWebhook = graphql(`
  mutation TestWebhook($input: TestWebhookInput!) {
    testWebhook(input: $input) {
      webhook {
        id
      }
      userErrors {
        message
      }
    }
  }
`);

export const ReplayWebhook = graphql(`
  mutation ReplayWebhook($input: ReplayWebhookInput!) {
    replayWebhook(input: $input) {
      webhook {
        id
      }
      userErrors {
        message
      }
    }
  }
`);

graphql(`
  fragment LogItem on AuditLogEntry {
    id
    actions
    occurredAt
    actor {
      kind
      name
    }
    ... on ContentAuditLogEntry {
      nodeId
      nodeType
      slug
      path
      node {
        id
        ... on Post {
          title
        }
        ... on Page {
          title
        }
        ... on Term {
          name
        }
      }
    }
    ... on TokenAuditLogEntry {
      token {
        id
        name
      }
    }
    ... on WebhookAuditLogEntry {
      webhook {
        id
        url
      }
    }
  }
`);

export const AuditLogQuery = graphql(`
  query AuditLog($first: Int, $after: String) {
    auditLog(first: $first, after: $after) {
      nodes {
        ...LogItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);
