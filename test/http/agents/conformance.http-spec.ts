import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mcpUrlOf, startSteleWithHooks } from '../../support/agents/stele-for-agents.js';
import { type Stele, temporaryFolder } from '../../support/service/stele.js';

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

describe('MCP conformance suite for servers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('conformance');
    stele = await startSteleWithHooks({ folder: temporary.folder, hooks: ['conformance-fixtures.ts'] });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it.each(['2026-07-28', '2025-11-25'])(
    'the conformance suite reports only known failures for protocol revision %s',
    async (revision) => {
      const words = ['server', '--url', mcpUrlOf(stele), '--requirements', revision];
      const known = `test/support/agents/conformance-${revision}.yml`;
      const results = join(temporary.folder, revision);
      const { code, printed } = await run([suite, ...words, '--expected-failures', known, '-o', results]);
      const summary = printed.slice(printed.indexOf('=== SUMMARY ==='));
      expect([code, summary]).toEqual([0, expect.stringContaining('✓ tools-list')]);
    },
    120_000,
  );
});

const run = (words: string[]) =>
  new Promise<{ code: number; printed: string }>((resolve) => {
    execFile(process.execPath, words, { maxBuffer: 64 * 1_048_576 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout + stderr }),
    );
  });
