import { createRequire } from 'node:module';

const require = createRequire(new URL('../../package.json', import.meta.url));
export const { from } = require('pg-copy-streams');
