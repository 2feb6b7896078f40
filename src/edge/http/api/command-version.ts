import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { version } from './version.js';

/** The oldest version of the command that this service understands (docs/interface/conventions.md, "Versions"). */
const OLDEST_COMMAND = '0.1.0';

type Versions = { readonly oldest: string; readonly newest: string };

/**
 * Tells an older `stele` command that the instance offers a newer one, in the header `stele-cli-version`. One that no
 * longer works is refused with `client_outdated`, instead of failing in a way that nobody can explain.
 */
export function checkCommandVersion(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: Pick<FastifyReply, 'header'>,
  baseUrl: string,
  { oldest, newest }: Versions = { oldest: OLDEST_COMMAND, newest: version },
): void {
  const used = /^stele-cli\/(\d{1,6}\.\d{1,6}\.\d{1,6})/.exec(String(headers['stele-client'] ?? ''))?.[1];
  if (used === undefined || compareVersions(used, newest) >= 0) return;
  void reply.header('stele-cli-version', newest);
  if (compareVersions(used, oldest) < 0)
    refuse('client_outdated', `This instance needs version ${oldest} or later of the stele command, not ${used}.`, [], {
      suggestion: `Install version ${newest}: curl -fsSL ${baseUrl}/cli/install.sh | sh`,
    });
}

/** Compares MAJOR.MINOR.PATCH by number. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [index, part] of (left ?? []).entries()) {
    const difference = part - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
