import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../kernel/refusal.js';
import { version } from './version.js';

/** The oldest version of the command that works with this service (docs/interface/conventions.md, "Client names"). */
const OLDEST_COMMAND = '0.1.0';

type Versions = { readonly oldest: string; readonly newest: string };

/**
 * For a request from an older `stele` command, sets the response header `stele-cli-version` to the version that this
 * instance offers. Refuses a version that no longer works with `client_outdated`. Its user would otherwise get errors
 * that do not mention the version.
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
    refuse(
      'client_outdated',
      `This instance requires version ${oldest} or later of the stele command. This is version ${used}.`,
      [],
      {
        suggestion: `Install version ${newest}: curl -fsSL ${baseUrl}/cli/install.sh | sh`,
      },
    );
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [index, part] of (left ?? []).entries()) {
    const difference = part - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
