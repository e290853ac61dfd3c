// A document that relay-compiler persists. The rule: nothing here runs; the compiler reads the tag.
import { graphql } from 'relay-runtime';

export const OldestPost = graphql`
  query OldestPostQuery {
    posts(last: 1) { nodes { slug title } }
  }
`;
