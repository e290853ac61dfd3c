// The client and its cache. The rule: each list that is paged says which of its arguments make it another list.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { relayStylePagination } from '@apollo/client/utilities';

export function makeCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes: {
      Node: ['Author', 'Category', 'ContentAuditLogEntry', 'File', 'Image', 'Page', 'Post', 'PreviewLinksAuditLogEntry', 'Revision', 'Series', 'Tag', 'Token', 'TokenAuditLogEntry', 'Webhook', 'WebhookAuditLogEntry'],
      AuditLogEntry: ['ContentAuditLogEntry', 'PreviewLinksAuditLogEntry', 'TokenAuditLogEntry', 'WebhookAuditLogEntry'],
      Asset: ['File', 'Image'],
      Content: ['Page', 'Post'],
      Term: ['Author', 'Category', 'Series', 'Tag'],
      PostPayload: ['CreatePostPayload', 'UpdatePostPayload', 'PublishPostPayload', 'UnpublishPostPayload', 'RestoreRevisionPayload'],
      PagePayload: ['CreatePagePayload', 'UpdatePagePayload', 'PublishPagePayload', 'UnpublishPagePayload', 'RestoreRevisionPayload'],
      UserError: ['InputError', 'NotFoundError', 'ConflictError', 'InUseError'],
    },
    typePolicies: {
      Query: {
        fields: {
          posts: relayStylePagination(['filter', 'orderBy']),
          draftPosts: relayStylePagination(),
          scheduledPosts: relayStylePagination(),
        },
      },
      Category: { fields: { posts: relayStylePagination(['filter', 'orderBy']) } },
      Tag: { fields: { posts: relayStylePagination(['filter', 'orderBy']) } },
      Author: { fields: { posts: relayStylePagination(['filter', 'orderBy']) } },
      // RichText has no id: the cache merges the fields that several queries select.
      RichText: { merge: true },
      ArchiveMonth: { keyFields: ['year', 'month'], fields: { posts: relayStylePagination(['orderBy']) } },
    },
  });
}

export function makeClient(uri: string, token?: string, fetcher: typeof fetch = fetch): ApolloClient {
  const bearer = new SetContextLink(({ headers }) => ({
    headers: token ? { ...headers, authorization: `Bearer ${token}` } : headers,
  }));
  // Proxies and browsers can cache queries that are sent by GET; mutations still use POST.
  const http = new HttpLink({ uri, useGETForQueries: true, fetch: fetcher });
  return new ApolloClient({ link: ApolloLink.from([bearer, http]), cache: makeCache() });
}
