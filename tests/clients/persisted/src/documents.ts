// The documents of the front end.
import { graphql } from '../generated/gql';

export const LATEST = graphql(`
  query Latest($first: Int = 3) {
    posts(first: $first) { nodes { id slug } totalCount }
  }
`);

export const COUNT = graphql(`
  query Count {
    tags { totalCount }
  }
`);

export const RENAME = graphql(`
  mutation Rename($input: UpdatePostInput!) {
    updatePost(input: $input) { userErrors { code } }
  }
`);
