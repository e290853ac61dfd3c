// Generates the types of every GraphQL document in src/ from the server's schema.
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../schema.graphql",
  documents: "src/**/*.{ts,tsx}",
  ignoreNoDocuments: true,
  generates: {
    "src/gql/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: { scalars: { DateTime: "string", HTML: "string", JSON: "unknown", URL: "string" }, strictScalars: true, useTypeImports: true, enumsAsTypes: true },
    },
  },
};

export default config;
