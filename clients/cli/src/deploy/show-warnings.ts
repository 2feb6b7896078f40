import type { DeployOutcome } from 'stele-api/deploy/publish-deploy';
import type { Session } from '../command-line/session.js';
import { annotateWarning } from '../output/ci-report.js';
import { plural } from '../output/quantities.js';
import { oneLine } from '../output/table.js';

export type DeployWarning = DeployOutcome['warnings'][number];

const MAX_KEYS = 5;

export function showWarnings({ output, environment }: Session, warnings: readonly DeployWarning[]): void {
  for (const warning of warnings) {
    const { file, line, message } = warning;
    output.warn(oneLine(`${file}${line ? `:${line}` : ''}: ${message}`));
    annotateWarning(environment, warning);
  }
}

export function showPrivateKeys(session: Session, keys: readonly DeployWarning[]): void {
  showWarnings(session, keys.slice(0, MAX_KEYS));
  const more = keys.length - MAX_KEYS;
  if (more > 0) session.output.warn(`${plural(more, 'more private key')}.`);
}
