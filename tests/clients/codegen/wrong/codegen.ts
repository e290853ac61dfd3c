// The same configuration with a document that selects an unknown field: it must fail.
import type { CodegenConfig } from '@graphql-codegen/cli';
import config from '../codegen';

export default { ...config, documents: 'wrong/*.graphql', generates: { 'generated/wrong/': config.generates['generated/gql/']! } } satisfies CodegenConfig;
