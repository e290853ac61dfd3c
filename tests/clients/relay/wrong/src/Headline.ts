// Selects a field that does not exist: relay-compiler must report it.
import { graphql } from 'react-relay';

export const Headline = graphql`
  query HeadlineQuery {
    posts(first: 1) { nodes { headline } }
  }
`;
