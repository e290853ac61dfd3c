// Types for every GraphQL document in src/, made from the server's contract. A copy of this folder elsewhere keeps that beside it:
// `curl -o schema.graphql https://your.server/schema.graphql`, then schema: "./schema.graphql".
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../../schema.graphql",
  documents: "src/**/*.{ts,tsx}",
  ignoreNoDocuments: true,
  generates: {
    "src/gql/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: { scalars: { DateTime: "string" }, strictScalars: true, useTypeImports: true, enumsAsTypes: true },
    },
  },
};

export default config;
