import { createRequire } from 'node:module';

/** The product's version. The API has a separate version in /openapi.json. */
export const { version } = createRequire(import.meta.url)('../../../../package.json') as { version: string };
