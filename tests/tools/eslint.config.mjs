// The rules for schema.graphql: everything that graphql-eslint recommends for schemas, and the rules of the Relay specifications. It checks the file
// schema.graphql of the current folder. Each exception has its reason.
import { join } from 'node:path';
import graphql from '@graphql-eslint/eslint-plugin';

export default [
  {
    files: ['schema.graphql'],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: join(process.cwd(), 'schema.graphql') } },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      '@graphql-eslint/strict-id-in-types': ['error', {
        exceptions: {
          // Parts of one answer, which no cache looks up: pages and their items, the answers of mutations, and their problems.
          suffixes: ['Connection', 'Edge', 'Payload', 'Error'],
          // Parts of their parent, without an identity of their own: a position, a text and its headings, a month, who did something, the viewer, a link that nobody stores, the place of a page in the list of all pages, that of a post in its series or in a list of popular ones, the views of a day, an item of the menu,
          // the part of a picture that a crop keeps, and a picture in the form of a link, what an operation costs, what is left of a limit, the one site, and what has changed since a position, in which a change can come twice, an attempt to send a message, and where a search has found words.
          types: ['PageInfo', 'RichText', 'Heading', 'AuthorLink', 'ArchiveMonth', 'Actor', 'Viewer', 'PreviewLink', 'PageLink', 'NavigationItem', 'FocalPoint', 'OpenGraphImage', 'Enclosure', 'SeriesPlace', 'OperationCost', 'ExpensiveField', 'RateLimit', 'Site', 'ChangeFeed', 'Change', 'PublishedPost', 'PopularPost', 'ViewsOfDay', 'WebhookDelivery', 'SearchHighlight'],
        },
      }],
      // Connections have `nodes` beside `edges`, and short lists that are always complete (the tags of a post, user errors) are no connections.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
      // A list that can be read in one direction only has `first` and `after`. A test of the schema names these lists.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
    },
  },
];
