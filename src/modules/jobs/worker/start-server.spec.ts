import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../../kernel/refusal.js';
import { startServer } from './start-server.js';

const deploy = { siteId: 'site_1', slug: 'amber', deployId: 'dep_1', digest: '0', kind: 'container' as const };

describe('startServer', () => {
  it('copies the output of a server that crashed on startup to the job’s log', async () => {
    const logged: string[] = [];
    const progress = {
      log: async (_: string, text: string) => void logged.push(text),
      ...{ step: async () => undefined, isLogFull: () => false },
    };
    const printed = ['node:internal/modules:1', "Error: Cannot find module '/nope.js'", '    at resolve (x.js:1)'];
    const servers = {
      use: async () => Promise.reject(new Refusal('server_failed', 'The server exited with code 1.')),
      linesBeforeCrash: async () => printed,
    };
    await expect(startServer(deploy, servers, progress, new AbortController().signal)).rejects.toMatchObject({
      code: 'server_failed',
      detail: "The server exited with code 1. Its log says: Error: Cannot find module '/nope.js'",
    });
    expect(logged.slice(-3)).toEqual(printed);
  });
});
