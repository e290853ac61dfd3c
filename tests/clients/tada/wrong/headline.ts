// Asks for what is not there: `gql-tada check` must say so.
import { graphql } from '../src/graphql';

export const Headline = graphql(`
  query Headline {
    posts(first: 1) { nodes { headline } }
  }
`);
