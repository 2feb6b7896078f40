import { createRequire } from 'node:module';

const { scripts } = createRequire(import.meta.url)('../../../package.json') as { scripts: { start: string } };

/** What `npm start` tells Node: without it, V8 lets any work that lasts keep some 150 MB of young objects. */
export const nodeOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));
