// What the server says of the site: one small request, which all views share.
import { graphql } from "../gql";

export const SiteQuery = graphql(`
  query Site {
    site {
      url
      language
      languages
      navigation {
        label
        url
        children {
          label
          url
        }
      }
    }
  }
`);
