import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const inRoot = (...parts) => join(root, ...parts);

/** The Node that package.json pins. Everything after the set-up runs on it. */
export const pinnedNode = inRoot('node_modules', '.bin', 'node');
