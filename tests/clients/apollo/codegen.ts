// Generates typed documents for Apollo Client: run `graphql-codegen` in this folder.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../../schema.graphql',
  documents: 'src/**/*.{ts,tsx}',
  generates: {
    'generated/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { strictScalars: true, scalars: { DateTime: 'string', HTML: 'string', JSON: 'unknown', URL: 'string' }, useTypeImports: true },
    },
  },
};

export default config;
