import { createRequire } from 'node:module';

/** The version of the product. The interface has one of its own, in /openapi.json. */
export const { version } = createRequire(import.meta.url)('../../../../package.json') as { version: string };
