// Selects a field that does not exist: `gql-tada check` must report it.
import { graphql } from '../src/graphql';

export const Headline = graphql(`
  query Headline {
    posts(first: 1) { nodes { headline } }
  }
`);
