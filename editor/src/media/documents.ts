// The queries and mutations of pictures and files.
import { graphql } from "../gql";

graphql(`
  fragment Stored on Asset {
    id
    url
    contentType
    byteSize
    originalName
    version
    ... on Image {
      thumbnail: url(width: 480)
      width
      height
      alt
      caption
      focalPoint {
        x
        y
      }
    }
  }
`);

export const AssetsQuery = graphql(`
  query Assets($first: Int, $after: String) {
    assets(first: $first, after: $after) {
      nodes {
        ...Stored
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const AssetQuery = graphql(`
  query OneAsset($id: ID!) {
    asset(id: $id) {
      ...Stored
    }
  }
`);

export const UpdateAsset = graphql(`
  mutation UpdateAsset($input: UpdateAssetInput!) {
    updateAsset(input: $input) {
      asset {
        ...Stored
      }
      userErrors {
        message
      }
    }
  }
`);

export const DeleteAsset = graphql(`
  mutation DeleteAsset($input: DeleteInput!) {
    deleteAsset(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);
