// Generates the types of every GraphQL document in src/ from the server's schema. If you copy this folder, keep a copy of the schema in it:
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
      config: { scalars: { DateTime: "string", HTML: "string", JSON: "unknown", URL: "string" }, strictScalars: true, useTypeImports: true, enumsAsTypes: true },
    },
  },
};

export default config;
