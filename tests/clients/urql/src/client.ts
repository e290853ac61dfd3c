// The client and its cache. The rule: the cache knows the schema, so that it warns of unknown fields.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import schema from '../generated/schema.json';

export function makeClient(url: string, token?: string, fetcher: typeof fetch = fetch): Client {
  const cache = cacheExchange({
    schema,
    keys: {
      // These have no id: the cache stores them as part of their parent object.
      RichText: () => null,
      Heading: () => null,
      Actor: () => null,
      InputError: () => null,
      NotFoundError: () => null,
      ConflictError: () => null,
      InUseError: () => null,
      ArchiveMonth: ({ year, month }) => `${year}-${month}`,
    },
    resolvers: {
      Query: { posts: relayPagination(), draftPosts: relayPagination(), scheduledPosts: relayPagination() },
      Category: { posts: relayPagination() },
      Tag: { posts: relayPagination() },
      Author: { posts: relayPagination() },
    },
  });
  return new Client({
    url,
    exchanges: [cache, fetchExchange],
    // Proxies and browsers can cache queries that are sent by GET; mutations still use POST.
    preferGetMethod: true,
    fetch: fetcher,
    fetchOptions: token ? { headers: { authorization: `Bearer ${token}` } } : {},
  });
}
