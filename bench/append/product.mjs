import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The product as it was built (`npm run build`), or the folder named by STELE_DIST. */
export const built = process.env.STELE_DIST
  ? pathToFileURL(`${process.env.STELE_DIST}/`)
  : new URL('../../dist/', import.meta.url);

const require = createRequire(new URL('../../package.json', import.meta.url));
export const pg = require('pg');
export const { z } = require('zod');

/** The options that `npm start` gives to Node, or those of STELE_BENCH_NODE_OPTIONS. */
export const startOptions =
  process.env.STELE_BENCH_NODE_OPTIONS?.split(' ') ??
  require('./package.json')
    .scripts.start.split(' ')
    .filter((word) => word.startsWith('--'));
