import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { emptyStream, StoreUnavailableError } from '../../src/kernel/event-store.js';
import { EventStoreLoginError, KurrentEngine } from '../../src/storage/store/kurrent/kurrent.engine.js';
import { appended, noted } from '../contracts/event-store.contract.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { following, recording, withServer } from '../support/eventstore/kurrent/with-server.js';

/** Appends to a server with this certificate. Returns the credentials that the server received. */
async function appendedOverTls(pem: string) {
  const pair = await readFile(`test/fixtures/${pem}`);
  const secure = new StandIn({ key: pair, certificate: pair });
  await secure.listen();
  const url = `kurrentdb://stele:p%40ss@localhost:${secure.port}?tlsCAFile=test/fixtures/${pem}`;
  const other = new KurrentEngine({ url, ...recording });
  try {
    await appended(other, 'job-secure', emptyStream, [noted('a')]);
    return [...secure.authorizations];
  } finally {
    await other.stop();
    secure.stop();
  }
}

describe('KurrentDB engine and the server’s configuration', () => {
  it.concurrent(
    'events of other applications are skipped and never affect decisions',
    withServer(async ({ server, store }) => {
      const stranger = { id: crypto.randomUUID(), type: 'Ordered', contentType: 'application/json' };
      const event = { ...stranger, data: Buffer.from('{"a":1}'), metadata: new Uint8Array() };
      const last = noted('mine');
      const reading = following(store, last.id);
      server.log.append('orders-1', -1, [event]);
      const { position } = await appended(store, 'job-mine', emptyStream, [last]);
      server.log.append('orders-1', 0, [{ ...event, id: crypto.randomUUID() }]);
      expect((await reading).map(({ id }) => id)).toEqual([last.id]);
      expect(await store.lastPosition()).toBe(position);
      await expect(store.read('orders-1')).rejects.toThrow('was not written by Stele');
      expect((await Array.fromAsync(store.raw('orders-1'))).flat()).toMatchObject([
        { revision: 1, actor: '', hash: null },
        { revision: 2 },
      ]);
    }),
  );

  it.concurrent(
    'a server older than 22.6 is refused, and the error names the required version',
    withServer(async ({ server, store }) => {
      await appended(store, 'job-old', emptyStream, [noted('a')]);
      server.isOld = true;
      await expect(store.read('job-old')).rejects.toThrow('Stele needs EventStoreDB 22.6 or later');
    }),
  );

  it.concurrent(
    'an append that the server refuses as too large is not retried',
    withServer(async ({ server, store }) => {
      const big = noted('a'.repeat(1024 * 1024));
      await expect(store.append('job-big', emptyStream, [big])).rejects.toThrow('Maximum Append Size');
      expect(server.calls.append).toBe(1);
    }),
  );

  it.concurrent('the engine sends the user name and password from the URL over TLS', async () => {
    const basic = Buffer.from('stele:p@ss').toString('base64');
    expect(await appendedOverTls('localhost.test.pem')).toEqual([`Basic ${basic}`]);
  }, 60_000);

  it.concurrent('the engine sends nothing if the server’s TLS certificate is for another name', async () => {
    await expect(appendedOverTls('stele.test.pem')).rejects.toThrow(StoreUnavailableError);
  }, 60_000);

  it.concurrent(
    'a wrong password is reported immediately at startup',
    withServer(async ({ server }) => {
      server.refuses = true;
      const other = new KurrentEngine({ url: server.url, ...recording });
      await expect(other.start()).rejects.toThrow(EventStoreLoginError);
      await other.stop();
    }),
  );
});
