import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../credentials/places.js';
import type { Output } from '../output/output.js';
import { VERSION } from './client-name.js';

export type NewerCommand = { readonly version: string; readonly instance: string };

const DAY_MS = 86_400_000;

/**
 * Mentions, at most once a day, that an instance offers a newer version of the command. Prints nothing in scripts,
 * because they may compare output and cannot install anything.
 */
export function mentionNewerCommand(
  output: Pick<Output, 'isInteractive' | 'options' | 'note' | 'paint'>,
  newer: NewerCommand | null,
  { environment = process.env, now = Date.now() } = {},
): void {
  if (!newer || !output.isInteractive || output.options.quiet || !isFirstToday(environment, now)) return;
  // The version comes from the instance, so characters that could control the terminal are removed.
  const version = newer.version.replaceAll(/[^\w.+-]/g, '').slice(0, 40);
  const command = `curl -fsSL ${newer.instance}/cli/install.sh | sh`;
  output.note(output.paint('dim', `stele ${version} is available (this is ${VERSION}). Update it with: ${command}`));
}

/**
 * Reports whether the newer version was not mentioned within the last day, and records that it is mentioned now.
 * Returns false if this cannot be recorded, because otherwise every run would mention it.
 */
function isFirstToday(environment: NodeJS.ProcessEnv, now: number): boolean {
  const file = join(cacheFolder(environment), 'newer-command');
  try {
    if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < DAY_MS) return false;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    return true;
  } catch {
    return false;
  }
}
