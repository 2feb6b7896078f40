import { describe, expect, it } from '@jest/globals';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { Refusal } from '../../../kernel/refusal.js';
import { startServer } from './start-server.js';

const deploy = { siteId: 'site_1', slug: 'amber', deployId: 'dep_1', digest: '0', kind: 'container' as const };

/**
 * Calls `startServer` for a server that prints these lines and then crashes. Returns the promise of that call and the
 * lines of the job’s log.
 */
function startCrashing(printed: readonly string[], kind: ServedDeploy['kind'] = 'container') {
  const logged: string[] = [];
  const progress = {
    log: async (_: string, text: string) => void logged.push(text),
    ...{ step: async () => undefined, isLogFull: () => false },
  };
  const servers = {
    use: async () => Promise.reject(new Refusal('server_failed', 'The server exited with code 1.')),
    linesBeforeCrash: async () => printed,
  };
  return { logged, started: startServer({ ...deploy, kind }, servers, progress, new AbortController().signal) };
}

describe('startServer', () => {
  it('copies the output of a server that crashed on startup to the job’s log', async () => {
    const printed = ['node:internal/modules:1', "Error: Cannot find module '/nope.js'", '    at resolve (x.js:1)'];
    const { logged, started } = startCrashing(printed);
    await expect(started).rejects.toMatchObject({
      code: 'server_failed',
      detail: "The server exited with code 1. Its log says: Error: Cannot find module '/nope.js'",
    });
    expect(logged.slice(-3)).toEqual(printed);
  });

  it.each([
    [
      'container',
      'nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed (30: Read-only file system)',
      'A server can write only to /tmp, /var/tmp, /run and the volumes of its image. If it needs to write to another folder, declare that folder as a volume in the Dockerfile, for example: VOLUME /var/lib/app.',
    ],
    [
      'next',
      "Error: EROFS: read-only file system, open '/app/data.json'",
      'A server can write only to /tmp and .next/cache.',
    ],
  ] as const)(
    'if a %s server crashes because a file system is read-only, lists the folders that it can write to',
    async (kind, line, hint) => {
      await expect(startCrashing([line], kind).started).rejects.toMatchObject({
        detail: `The server exited with code 1. ${hint} Its log says: ${line}`,
      });
    },
  );
});
