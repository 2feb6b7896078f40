// Reads an OpenAPI document on standard input and prints its TypeScript types, which `npm run reference` of the product
// writes to src/openapi.ts.
import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';

const document = JSON.parse(await text(process.stdin));
const types = astToString(await openapiTS(document, { alphabetize: false }));

process.stdout.write(`// Generated from /openapi.json by \`npm run reference\`. Do not edit.\n\n${types}`);
