// Generates typed documents and their manifest, `generated/gql/persisted-documents.json`: run `graphql-codegen` in this folder.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../../schema.graphql',
  documents: 'src/documents.ts',
  generates: {
    'generated/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: { strictScalars: true, scalars: { DateTime: 'string', HTML: 'string', JSON: 'unknown', URL: 'string' }, useTypeImports: true },
    },
  },
};

export default config;
