import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { Stele } from 'stele-api/client';
import type { Session } from '../command-line/session.js';
import { followJob } from './follow-job.js';

it('shows the output of a failed build, even if it contains HTTP terms such as “header”', async () => {
  const message = '“npm run build” exited with code 1. The log says: Cannot find module ‘./components/Header’';
  const server = createServer(({ url }, response) =>
    url?.includes('/events')
      ? response.setHeader('content-type', 'application/x-ndjson').end('{"event":"end"}\n')
      : response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ status: 'failed', slug: 'a', error: { code: 'build_failed', message } })),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stele = new Stele({ instance: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const session = { signal: new AbortController().signal } as Session;
  await expect(followJob(session, stele, 'job_1')).rejects.toThrow(`The build failed. ${message}`);
  server.closeAllConnections();
  server.close();
});
