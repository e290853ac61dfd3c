// Generates the types of each document from the schema file: run `graphql-codegen` in this folder.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../../schema.graphql',
  documents: 'src/**/*.ts',
  generates: {
    'generated/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: { unmaskFunctionName: 'readFragment' } },
      config: {
        documentMode: 'string',
        strictScalars: true,
        scalars: { DateTime: 'string', HTML: 'string', JSON: 'unknown', URL: 'string' },
        useTypeImports: true,
      },
    },
  },
};

export default config;
