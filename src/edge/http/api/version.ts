import { createRequire } from 'node:module';

/** The version of the product. The version of the API is separate and is in /openapi.json. */
export const { version } = createRequire(import.meta.url)('../../../../package.json') as { version: string };
