import { execFileSync } from 'node:child_process';
import { inRoot } from '../set-up/places.mjs';

/**
 * Returns the text of clients/api/src/openapi.ts for a document. The generator is installed only in clients/, so it
 * runs there as a process.
 */
export function renderClientTypes(document: string): string {
  return execFileSync(process.execPath, [inRoot('clients', 'api', 'tools', 'render-types.ts')], {
    input: document,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}
