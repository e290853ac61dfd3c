// Subscriptions by the clients that front ends use, over both transports. The rule: a test waits for the event of a post that it has published itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';
import WebSocket from 'ws';

const url = process.env.TIDINGS_URL;
const authorization = `Bearer ${process.env.TIDINGS_TOKEN}`;
const QUERY = 'subscription Posts($after: String) { postPublished(after: $after) { post { id slug } endCursor } }';
const document = gql(QUERY);

async function ask(query) {
  const headers = { 'Content-Type': 'application/json', authorization };
  const { data } = await (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
  return data;
}

async function position() {
  return (await ask('{ changes { endCursor } }')).changes.endCursor;
}

async function publish() {
  const create = 'mutation { createPost(input: { title: "New", markdown: "x", publish: true }) { post { slug } } }';
  return (await ask(create)).createPost.post.slug;
}

// Publishes a post before the subscription and one when the first has come, and expects both.
async function follows(subscribe) {
  const after = await position();
  const published = [publish()];
  await published[0];
  const seen = [];
  await new Promise((resolve, reject) => {
    const next = (data) => {
      seen.push(data.postPublished.post.slug);
      if (seen.length === 1) published.push(publish());
      else resolve(stop());
    };
    const stop = subscribe({ after }, { next, error: reject });
  });
  assert.deepEqual(seen, await Promise.all(published));
}

const socket = () => createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, connectionParams: { authorization } });

test('graphql-ws', async () => {
  const client = socket();
  await follows((variables, sink) =>
    client.subscribe({ query: QUERY, variables }, { next: ({ data }) => sink.next(data), error: sink.error, complete: () => {} }));
  const refused = await new Promise((resolve) => {
    client.subscribe({ query: 'subscription { nothing }' }, { next: () => {}, error: resolve, complete: () => {} });
  });
  assert.equal(refused[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  await client.dispose();
});

test('graphql-sse', async () => {
  const client = createSseClient({ url, headers: { authorization } });
  await follows((variables, sink) =>
    client.subscribe({ query: QUERY, variables }, { next: ({ data }) => sink.next(data), error: sink.error, complete: () => {} }));
  client.dispose();
});

test('Apollo Client over graphql-ws', async () => {
  const transport = socket();
  const client = new ApolloClient({ link: new GraphQLWsLink(transport), cache: new InMemoryCache() });
  await follows((variables, sink) => {
    const following = client.subscribe({ query: document, variables });
    const subscription = following.subscribe({ next: ({ data }) => sink.next(data), error: sink.error });
    return () => subscription.unsubscribe();
  });
  client.stop();
  await transport.dispose();
});

test('urql over graphql-ws', async () => {
  const transport = socket();
  const forward = ({ query, variables }) => ({
    subscribe: (sink) => ({ unsubscribe: transport.subscribe({ query, variables }, sink) }),
  });
  await followsByUrql(new Client({ url, exchanges: [subscriptionExchange({ forwardSubscription: forward })] }));
  await transport.dispose();
});

test('urql by fetch', async () => {
  const fetchOptions = { headers: { authorization } };
  // urql 6.0 does not catch the error of its own abort, so the request ends with the test.
  const client = new Client({ url, fetchSubscriptions: true, fetchOptions, exchanges: [fetchExchange] });
  await followsByUrql(client, () => {});
});

function followsByUrql(client, stop) {
  return follows((variables, sink) => {
    const take = ({ data, error }) => (error ? sink.error(error) : sink.next(data));
    const { unsubscribe } = client.subscription(QUERY, variables).subscribe(take);
    return stop ?? unsubscribe;
  });
}

test('Relay over graphql-ws', async () => {
  const transport = socket();
  const network = Network.create(
    () => Observable.from(Promise.reject(new Error('no query'))),
    ({ text: query }, variables) => Observable.create((sink) => transport.subscribe({ query, variables }, sink)),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  await follows((variables, sink) => {
    const following = environment.getNetwork().execute({ operationKind: 'subscription', text: QUERY }, variables, {});
    const { unsubscribe } = following.subscribe({ next: ({ data }) => sink.next(data), error: sink.error });
    return unsubscribe;
  });
  await transport.dispose();
});

test('a live query by graphql-ws and graphql-sse', async () => {
  for (const client of [socket(), createSseClient({ url, headers: { authorization } })]) {
    let published;
    await new Promise((resolve, reject) => {
      const next = async ({ data }) => {
        published ??= publish();
        // The first answer is of before.
        if (data.posts.nodes[0].slug === (await published)) resolve(stop());
      };
      const query = 'query @live { posts(first: 1) { nodes { slug } } }';
      const stop = client.subscribe({ query }, { next, error: reject, complete: () => {} });
    });
    await client.dispose();
  }
});
