// Writes the schema for Graphcache, without the parts that it does not read: run `node minify.js` after each change of the schema.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema } from 'graphql';

const schema = buildSchema(readFileSync('../../../schema.graphql', 'utf8'));
const minified = minifyIntrospectionQuery(introspectionFromSchema(schema), { includeEnums: true, includeInputs: true, includeScalars: true });
mkdirSync('generated', { recursive: true });
writeFileSync('generated/schema.json', JSON.stringify(minified));
