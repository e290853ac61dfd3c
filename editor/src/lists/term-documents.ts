// The queries and mutations of terms. The four kinds have different types with the same fields, so each answer has the same names.
import { graphql } from "../gql";

graphql(`
  fragment TermItem on Term {
    id
    slug
    name
    description
    version
    postCount
    viewerCanUpdate
    ... on Category {
      parent {
        id
      }
    }
  }
`);

export const CategoriesQuery = graphql(`
  query Categories($first: Int, $after: String) {
    terms: categories(first: $first, after: $after) {
      nodes {
        ...TermItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const TagsQuery = graphql(`
  query Tags($first: Int, $after: String) {
    terms: tags(first: $first, after: $after) {
      nodes {
        ...TermItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const AuthorsQuery = graphql(`
  query Authors($first: Int, $after: String) {
    terms: authors(first: $first, after: $after) {
      nodes {
        ...TermItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const SeriesQuery = graphql(`
  query AllSeries($first: Int, $after: String) {
    terms: allSeries(first: $first, after: $after) {
      nodes {
        ...TermItem
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const CreateCategory = graphql(`
  mutation CreateCategory($input: CreateCategoryInput!) {
    answer: createCategory(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const UpdateCategory = graphql(`
  mutation UpdateCategory($input: UpdateCategoryInput!) {
    answer: updateCategory(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const DeleteCategory = graphql(`
  mutation DeleteCategory($input: DeleteInput!) {
    answer: deleteCategory(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const CreateTag = graphql(`
  mutation CreateTag($input: CreateTagInput!) {
    answer: createTag(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const UpdateTag = graphql(`
  mutation UpdateTag($input: UpdateTagInput!) {
    answer: updateTag(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const DeleteTag = graphql(`
  mutation DeleteTag($input: DeleteInput!) {
    answer: deleteTag(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const CreateAuthor = graphql(`
  mutation CreateAuthor($input: CreateAuthorInput!) {
    answer: createAuthor(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const UpdateAuthor = graphql(`
  mutation UpdateAuthor($input: UpdateAuthorInput!) {
    answer: updateAuthor(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const DeleteAuthor = graphql(`
  mutation DeleteAuthor($input: DeleteInput!) {
    answer: deleteAuthor(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const CreateSeries = graphql(`
  mutation CreateSeries($input: CreateSeriesInput!) {
    answer: createSeries(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const UpdateSeries = graphql(`
  mutation UpdateSeries($input: UpdateSeriesInput!) {
    answer: updateSeries(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const DeleteSeries = graphql(`
  mutation DeleteSeries($input: DeleteInput!) {
    answer: deleteSeries(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const MergeCategories = graphql(`
  mutation MergeCategories($input: MergeCategoriesInput!) {
    answer: mergeCategories(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const MergeTags = graphql(`
  mutation MergeTags($input: MergeTagsInput!) {
    answer: mergeTags(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const MergeAuthors = graphql(`
  mutation MergeAuthors($input: MergeAuthorsInput!) {
    answer: mergeAuthors(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export const MergeSeries = graphql(`
  mutation MergeSeries($input: MergeSeriesInput!) {
    answer: mergeSeries(input: $input) {
      userErrors {
        message
      }
    }
  }
`);
