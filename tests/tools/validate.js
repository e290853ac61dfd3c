// Prints what graphql-js finds wrong with the schema in the file of the argument: one error a line.
"use strict";

const { readFileSync } = require("node:fs");
const { buildASTSchema, parse, validateSchema } = require("graphql");
const { validateSDL } = require("graphql/validation/validate");

const document = parse(readFileSync(process.argv[2], "utf8"));
const errors = validateSDL(document);
// A document that is not valid cannot be built into a schema.
if (errors.length === 0) errors.push(...validateSchema(buildASTSchema(document, { assumeValidSDL: true })));
for (const error of errors) console.log(error.message);
