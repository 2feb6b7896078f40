import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SilenceClock } from './silence-clock.js';
import { tunnel } from './web-socket-tunnel.js';

async function connection(): Promise<readonly [near: Socket, far: Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far];
}

describe('A tunnel between a visitor and a server', () => {
  let visitor: readonly [Socket, Socket];
  let server: readonly [Socket, Socket];
  beforeEach(async () => {
    visitor = await connection();
    server = await connection();
  });
  afterEach(() => {
    for (const socket of [...visitor, ...server]) socket.destroy();
  });

  it('a tunnel reports once when visitor and server fall silent, and again when either sends data', async () => {
    const said: boolean[] = [];
    let onSaid: () => void = () => undefined;
    const next = () => new Promise<void>((resolve) => (onSaid = resolve));
    let ends = 0;
    const end = tunnel(visitor[1], server[0], {
      idleMs: 60_000,
      silence: new SilenceClock(40),
      onSilent: (isSilent) => {
        said.push(isSilent);
        onSaid();
      },
      onOver: () => {
        ends += 1;
      },
    });
    await next();
    const heard = next();
    visitor[0].write('hello');
    expect(String((await once(server[1], 'data'))[0])).toBe('hello');
    await heard;
    await next();
    const heardAgain = next();
    server[1].write('you too');
    expect(String((await once(visitor[0], 'data'))[0])).toBe('you too');
    await heardAgain;
    expect(said).toEqual([true, false, true, false]);
    end();
    end();
    expect(ends).toBe(1);
  });
});
