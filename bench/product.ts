import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { built } from '../test/support/service/product.ts';

// Packages that a bench must share with the product, because `bench/node_modules` may contain another copy.
export { pg } from '../test/support/database/pg.ts';
export { product } from '../test/support/service/product.ts';

const root = new URL('../', import.meta.url);
export const inRoot = (path: string): string => fileURLToPath(new URL(path, root));

/** The Node that package.json pins. All contestants run on it. */
export const pinnedNode = inRoot('node_modules/.bin/node');

export const mainFile = fileURLToPath(new URL('main.js', built));

/** Options that `npm start` passes to Node, or those of STELE_BENCH_NODE_OPTIONS. */
export const startOptions: readonly string[] = process.env.STELE_BENCH_NODE_OPTIONS?.split(' ') ?? readStartOptions();

function readStartOptions(): string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** Matches the product's output when it accepts requests. The first group is the port. */
export const ANNOUNCED_PORT = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/;
