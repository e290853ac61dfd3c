// The same configuration over a document that asks for what is not there: it must fail.
import type { CodegenConfig } from '@graphql-codegen/cli';
import config from '../codegen';

export default { ...config, documents: 'wrong/*.graphql', generates: { 'generated/wrong/': config.generates['generated/gql/']! } } satisfies CodegenConfig;
