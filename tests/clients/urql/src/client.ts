// The client and its cache. The rule: the cache knows the schema, so that it warns of what the schema does not have.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import schema from '../generated/schema.json';

export function makeClient(url: string, token?: string, fetcher: typeof fetch = fetch): Client {
  const cache = cacheExchange({
    schema,
    keys: {
      // These have no id: they are a part of what holds them.
      PostBody: () => null,
      UserError: () => null,
      ArchiveMonth: ({ year, month }) => `${year}-${month}`,
    },
    resolvers: {
      Query: { posts: relayPagination(), drafts: relayPagination(), scheduledPosts: relayPagination() },
      Category: { posts: relayPagination() },
      Tag: { posts: relayPagination() },
      Author: { posts: relayPagination() },
    },
  });
  return new Client({
    url,
    exchanges: [cache, fetchExchange],
    // Queries by GET can be kept by caches on the way; mutations go by POST all the same.
    preferGetMethod: true,
    fetch: fetcher,
    fetchOptions: token ? { headers: { authorization: `Bearer ${token}` } } : {},
  });
}
