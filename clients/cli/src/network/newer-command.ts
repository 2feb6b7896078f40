import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../credentials/places.js';
import type { Output } from '../output/output.js';
import { VERSION } from './client-name.js';

/** A newer version of the command, and the instance that offers it. */
export type NewerCommand = { readonly version: string; readonly instance: string };

const DAY_MS = 86_400_000;

/**
 * Says once a day that an instance offers a newer command. Only people in a terminal are told: scripts compare output,
 * and cannot install anything.
 */
export function mentionNewerCommand(
  output: Pick<Output, 'isInteractive' | 'options' | 'note' | 'paint'>,
  newer: NewerCommand | null,
  { environment = process.env, now = Date.now() } = {},
): void {
  if (!newer || !output.isInteractive || output.options.quiet || !isFirstToday(environment, now)) return;
  // Versions and addresses come from the instance, and only these characters reach the terminal.
  const version = newer.version.replaceAll(/[^\w.+-]/g, '').slice(0, 40);
  const command = `curl -fsSL ${newer.instance}/cli/install.sh | sh`;
  output.note(output.paint('dim', `stele ${version} is available, and this is ${VERSION}: ${command}`));
}

/** Notes the day in the cache. If that is impossible, nothing is mentioned, because it would be mentioned every time. */
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
