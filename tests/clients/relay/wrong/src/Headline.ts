// Asks for what is not there: relay-compiler must say so.
import { graphql } from 'react-relay';

export const Headline = graphql`
  query HeadlineQuery {
    posts(first: 1) { nodes { headline } }
  }
`;
