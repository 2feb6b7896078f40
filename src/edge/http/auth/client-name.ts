import type { FastifyRequest } from 'fastify';

/** Maximum length of the name from `stele-client` that is stored (docs/interface/conventions.md, "Client names"). */
const MAX_STATED = 60;

/**
 * Returns the name that a program gives itself in `stele-client`, such as `stele-cli/0.1.0; agent=claude-code`, or null
 * if it gives none. The name proves nothing and must not make a deploy fail, so a name that is too long is cut off.
 */
export function readStatedClient({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const stated = [headers['stele-client'] ?? ''].flat().join(', ');
  return (
    stated
      .replace(/[^\x20-\x7e]/g, '')
      .trim()
      .slice(0, MAX_STATED) || null
  );
}

/** Returns up to 200 printable ASCII characters of the `User-Agent`, or null if the request has none. */
export function readClientName({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const agent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').trim();
  return agent ? agent.slice(0, 200) : null;
}
