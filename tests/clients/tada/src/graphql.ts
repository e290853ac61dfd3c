// The tag `graphql` with the types of the schema. The rule: each custom scalar of the schema gets its type here.
import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../generated/graphql-env';

export const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string; HTML: string; JSON: unknown; URL: string } }>();
export { readFragment } from 'gql.tada';
export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
