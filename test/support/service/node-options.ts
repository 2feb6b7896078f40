import { createRequire } from 'node:module';

const { scripts } = createRequire(import.meta.url)('../../../package.json') as { scripts: { start: string } };

/** Node's options in `npm start`: without them, V8 lets long work keep some 150 MB of young objects. */
export const nodeOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));
