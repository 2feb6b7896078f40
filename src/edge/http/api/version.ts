import { createRequire } from 'node:module';

/** The version of the product. The API has its own version, in /openapi.json. */
export const { version } = createRequire(import.meta.url)('../../../../package.json') as { version: string };
