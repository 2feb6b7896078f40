import { createRequire } from 'node:module';

/** Of the product. The interface it implements has a version of its own, in /openapi.json. */
export const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
