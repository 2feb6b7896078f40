import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Stele } from '../client.js';
import { followStream } from './follow-stream.js';

let close = () => {};

async function startServer(...responds: ((response: ServerResponse) => void)[]) {
  const asked: (string | null)[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://a').searchParams.get('after'));
    (responds[asked.length - 1] ?? ((last) => last.writeHead(204).end()))(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, stele: new Stele({ instance: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }) };
}

const line = (id: number) => `{"id":${id},"event":"job.log","data":{}}\n`;

async function collect(stele: Stele, options = {}) {
  const ids: unknown[] = [];
  for await (const { id, event } of followStream(stele, '/v1/jobs/job_1/events', options)) ids.push(id ?? event);
  return ids;
}

afterEach(() => close());

describe('followStream', () => {
  it('yields events until the stream ends, and ignores keep-alive lines', async () => {
    const { stele, asked } = await startServer((response) =>
      response.end(`${line(1)}\n\n${line(2)}{"event":"end","data":{}}\n`),
    );
    expect(await collect(stele)).toEqual([1, 2]);
    expect(asked).toEqual([null]);
  });

  it('continues after the last event when the connection breaks', async () => {
    const { stele, asked } = await startServer(
      (response) => {
        // The second event is cut in half.
        response.write(line(1) + line(2).slice(0, 12), () => response.destroy());
      },
      (response) => response.end(`${line(2)}{"event":"end"}\n`),
    );
    expect(await collect(stele)).toEqual([1, 2]);
    expect(asked).toEqual([null, '1']);
  });

  it('continues after a restart of the service', async () => {
    const { stele, asked } = await startServer(
      (response) => response.end(line(7)),
      (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      (response) => response.end('{"event":"end"}\n'),
    );
    expect(await collect(stele, { after: 6 })).toEqual([7]);
    expect(asked).toEqual(['6', '7', '7']);
  });

  it('starts again from the beginning after a reset', async () => {
    const { stele, asked } = await startServer(
      (response) => response.end(`{"event":"reset"}\n`),
      (response) => response.end(`${line(1)}{"event":"end"}\n`),
    );
    expect(await collect(stele, { after: 99 })).toEqual(['reset', 1]);
    expect(asked).toEqual(['99', null]);
  });

  it('yields nothing if the client has already received the whole stream', async () => {
    const { stele } = await startServer();
    expect(await collect(stele, { after: 3 })).toEqual([]);
  });

  it('rejects an event that is longer than 4 MiB', async () => {
    const { stele, asked } = await startServer((response) => response.write('x'.repeat(5 * 1024 * 1024)));
    await expect(collect(stele)).rejects.toThrow('sent a line of more than 4 MiB');
    expect(asked).toHaveLength(1);
  });

  it('rejects with the service’s error', async () => {
    const { stele } = await startServer((response) => response.writeHead(404).end());
    await expect(collect(stele)).rejects.toMatchObject({ status: 404 });
  });
});
