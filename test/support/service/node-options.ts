import { createRequire } from 'node:module';

const { scripts } = createRequire(import.meta.url)('../../../package.json') as { scripts: { start: string } };

/** The options for Node in `npm start`. Without them, V8 lets the young generation grow to about 150 MB under load. */
export const nodeOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));
