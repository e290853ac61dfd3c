// Writes the schema as Graphcache takes it, without what it does not read: `node minify.js`, each time that the schema has changed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema } from 'graphql';

const schema = buildSchema(readFileSync('../../../schema.graphql', 'utf8'));
const minified = minifyIntrospectionQuery(introspectionFromSchema(schema), { includeEnums: true, includeInputs: true, includeScalars: true });
mkdirSync('generated', { recursive: true });
writeFileSync('generated/schema.json', JSON.stringify(minified));
