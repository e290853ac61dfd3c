// The introspection query of graphql-js, which GraphiQL, Apollo's tools and others send, with all its options; and what JavaScript makes of a DateTime.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as graphql16 from 'graphql';
import * as graphql17 from 'graphql-17';

const url = process.env.TIDINGS_URL;

const EVERY_OPTION = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

for (const [name, graphql] of Object.entries({ 'graphql-js 16': graphql16, 'graphql-js 17': graphql17 })) {
  const { GraphQLSchema, buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema, validateSchema } = graphql;

  test(`the introspection of ${name} with every option equals the served schema`, async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: getIntrospectionQuery(EVERY_OPTION), operationName: 'IntrospectionQuery' }),
    });
    const { data, errors } = await response.json();
    assert.equal(errors, undefined);
    // The engine returns a sentence of the specification as the schema's description; the file has no description.
    const asked = new GraphQLSchema({ ...buildClientSchema(data).toConfig(), description: undefined });
    const served = buildSchema(await (await fetch(url.replace(/graphql$/, 'schema.graphql'))).text());
    assert.deepEqual([...validateSchema(asked), ...validateSchema(served)], []);
    const printed = (schema) => printSchema(lexicographicSortSchema(schema));
    assert.equal(printed(asked), printed(served));
    assert.match(printed(asked), /scalar DateTime\s+@specifiedBy\(url: "https:/);
  });
}

test('a time of an answer is the text of a JavaScript Date, and Dates sort as their texts', async () => {
  const query = '{ posts(first: 100) { nodes { createdAt updatedAt publishedAt } } }';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { nodes } = (await response.json()).data.posts;
  assert.ok(nodes.length > 1);
  for (const time of nodes.flatMap(Object.values)) assert.equal(new Date(time).toISOString(), time);
  const texts = nodes.map((post) => post.publishedAt);
  const newestFirst = [...texts].sort((a, b) => new Date(b) - new Date(a));
  assert.deepEqual([...texts].sort().reverse(), newestFirst);
});
