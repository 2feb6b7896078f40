import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import Docker from 'dockerode';
import { probeImages } from './probe-images.js';

it('a stop ends the test build of an image, and then removes the image', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stele-probe-'));
  const requests: string[] = [];
  const building = Promise.withResolvers<IncomingMessage>();
  // An engine that never finishes a build.
  const engine = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/[?:].*/, '')}`);
    request.resume();
    if (request.url?.startsWith('/build')) building.resolve(request);
    else response.writeHead(404).end();
  });
  await once(engine.listen(join(folder, 'engine.sock')), 'listening');
  try {
    const ready = {
      docker: new Docker({ socketPath: join(folder, 'engine.sock') }),
      isPodman: false,
      groups: null,
      disk: folder,
    };
    const stopping = new AbortController();
    const probing = probeImages(ready, 'base', null, stopping.signal);
    const request = await building.promise;
    const closed = once(request.socket, 'close');
    stopping.abort(new Error('The service is stopping.'));
    await expect(probing).rejects.toThrow('The service is stopping.');
    await closed;
    expect(requests).toEqual(['POST /build', 'DELETE /images/localhost/stele-image']);
  } finally {
    engine.close();
    await rm(folder, { recursive: true });
  }
});
