import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyStream, type Recorded } from '../../src/kernel/event-store.js';
import { KurrentEngine } from '../../src/storage/store/kurrent/kurrent.engine.js';
import { KurrentLog } from '../../src/storage/store/kurrent/kurrent.log.js';
import { appended, digest, isChained, noted, notes, readTo } from '../contracts/event-store.contract.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { withOwnStreams } from '../support/eventstore/own-streams.js';

/** Prefixes let concurrent tests share a server, and several installations share a cluster. */
describe('Two services with different prefixes on one EventStoreDB', () => {
  let server: StandIn;
  let urls: readonly string[];
  let one: KurrentEngine;
  let two: KurrentEngine;

  beforeAll(async () => {
    server = await StandIn.start();
    urls = [withOwnStreams(server.url), withOwnStreams(server.url)];
    [one, two] = urls.map((url) => new KurrentEngine({ url, catalogue: notes, isChained, digest })) as [
      KurrentEngine,
      KurrentEngine,
    ];
    await one.start();
    await two.start();
  });
  afterAll(async () => {
    await one.stop();
    await two.stop();
    server.stop();
  });

  const textsOf = (events: readonly Recorded[]) => events.map(({ data }) => (data as { text: string }).text);
  const logAt = async (n: number) => {
    const log = new KurrentLog(urls[n]!, digest);
    const events = (await Array.fromAsync(log.after(0n, new AbortController().signal))).flat();
    const last = await log.last();
    await log.close();
    return { names: events.map(({ stream, revision }) => `${stream} ${revision}`), last, end: events.at(-1)?.position };
  };

  it('two services can use the same stream names, and each service sees only its own streams', async () => {
    await appended(one, 'site-same', emptyStream, [noted('one')]);
    await appended(two, 'site-same', emptyStream, [noted('two'), noted('two again')]);
    expect(textsOf((await one.read('site-same')).events)).toEqual(['one']);
    expect(textsOf((await two.read('site-same')).events)).toEqual(['two', 'two again']);
    expect((await one.read('site-same')).events[0]?.stream).toBe('site-same');
  });

  it('each service sees only its own past and future events, and the last position of its own log', async () => {
    const { position } = await appended(one, 'site-next', emptyStream, [noted('the end of one')]);
    await appended(two, 'site-next', emptyStream, [noted('further on')]);
    expect(await one.lastPosition()).toBe(position);

    const following = readTo(
      (signal) => one.follow(0n, signal),
      ({ stream }) => stream === 'site-last',
    );
    await appended(two, 'site-last', emptyStream, [noted('of two')]);
    await appended(one, 'site-last', emptyStream, [noted('of one')]);
    expect(textsOf(await following)).toEqual(['one', 'the end of one', 'of one']);

    const scanned: Recorded[] = [];
    for await (const list of two.scan(0n, await two.lastPosition(), new AbortController().signal))
      scanned.push(...list);
    expect(textsOf(scanned)).toEqual(['two', 'two again', 'further on', 'of two']);
  });

  it('each service truncates only its own streams, and copies only its own log', async () => {
    for (const store of [one, two]) await appended(store, 'job-old', emptyStream, [noted('a'), noted('b')]);
    await one.truncate('job-old', 1);
    expect(textsOf((await one.read('job-old')).events)).toEqual(['b']);
    expect(textsOf((await two.read('job-old')).events)).toEqual(['a', 'b']);

    const [first, second] = [await logAt(0), await logAt(1)];
    expect(first.names).toEqual(['site-same 1', 'site-next 1', 'site-last 1', 'job-old 2']);
    const ofTwo = ['site-same 1', 'site-same 2', 'site-next 1', 'site-last 1', 'job-old 1', 'job-old 2'];
    expect(second.names).toEqual(ofTwo);
    for (const { last, end } of [first, second]) expect(last).toBe(end);
  });
});
