import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isFleetAsked } from '../../support/fleet/fleet-per-test.js';
import { signIn } from '../../support/people/sign-in.js';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';
import { eventsOf, newRunId } from '../../support/sites/runs.js';

/** Number of processes. Each one counts separately, and a proxy distributes streams evenly. */
const PROCESSES = isFleetAsked ? 2 : 1;
const OF_ADDRESS = 200;
const OF_CALLER = 50;

const isProblem = ({ event }: { event: string }) => event === 'problem';

describe('Limits on concurrent live streams', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let bob: Awaited<ReturnType<typeof signIn>>;
  const watching: EventStreamClient[] = [];
  const sockets: WebSocketClient[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('live-places');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_RATE_LIMITS: 'on', STELE_TRUSTED_PROXIES: '127.0.0.1' },
    });
    ann = await signIn(stele, 'ann@example.org');
    bob = await signIn(stele, 'bob@example.org');
  }, 180_000);
  afterEach(async () => {
    for (const each of watching) each.cut();
    for (const each of sockets) each.cut();
    await Promise.all([...watching.splice(0), ...sockets.splice(0)].map(({ closed }) => closed));
  });
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const watch = (headers: Record<string, string>) => {
    const made = new EventStreamClient(stele.base + eventsOf(newRunId()), headers);
    watching.push(made);
    return made.opened();
  };
  /** Opens this many streams per process. Waits for each, so that the proxy can distribute them evenly. */
  async function watchMany(many: number, headers: Record<string, string>) {
    const all: EventStreamClient[] = [];
    while (all.length < many * PROCESSES) all.push(await watch(headers));
    return all;
  }
  const connect = (headers: Record<string, string>) => {
    const made = new WebSocketClient(`${stele.base}/v1/live`, headers);
    sockets.push(made);
    return made;
  };
  const subscribe = (socket: WebSocketClient, many: number) => {
    for (let n = 0; n < many; n++) socket.say({ op: 'subscribe', stream: `run:${newRunId()}` });
    return socket;
  };
  /** Sends an invalid message and waits for the error. By then, the service has processed all earlier messages. */
  const obeyed = (socket: WebSocketClient) =>
    socket.say({ op: 'nothing' }).until(({ data }) => data.errors?.[0]?.path === 'op');
  /** Opens this many connections per process, each with `many` streams. */
  async function subscribeMany(connections: number, many: number, connected: () => WebSocketClient) {
    const all: WebSocketClient[] = [];
    while (all.length < connections * PROCESSES) {
      const socket = subscribe(connected(), many);
      expect(await obeyed(socket)).toHaveLength(1);
      all.push(socket);
    }
    return all;
  }
  const usedUp = async (answer: EventStreamClient) => {
    await answer.closed;
    expect([answer.status, answer.headers['content-type']]).toEqual([429, 'application/problem+json; charset=utf-8']);
    return JSON.parse(answer.body);
  };
  const problem = (who: string, what: string) =>
    expect.objectContaining({
      code: 'quota_exceeded',
      status: 429,
      detail: expect.stringMatching(new RegExp(`^${who} can have at most \\d+ live ${what} at the same time`)),
    });
  /** Reconnects until the service accepts. A closed connection counts until the service notices that it is closed. */
  async function letIn(headers: Record<string, string>) {
    for (;;) if ((await watch(headers)).status === 200) return;
  }

  it('a user can open fifty streams; the next one is refused, and other users are not affected', async () => {
    const by = (n: number) => ({ ...ann.bearer, ...from(`192.0.2.${n}`) });
    const all = await watchMany(OF_CALLER, by(1));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    // The limit includes streams that are opened from other addresses or through WebSocket.
    expect(await usedUp(await watch(by(2)))).toEqual(problem('A caller', 'streams'));
    const socket = subscribe(connect(by(3)), 1);
    expect((await socket.until(isProblem)).at(-1).data).toEqual(problem('A caller', 'streams'));

    expect((await watch({ ...bob.bearer, ...from('192.0.2.1') })).status).toBe(200);
    expect((await watch(from('192.0.2.1'))).status).toBe(200);
    all[0]?.cut();
    await letIn(by(4));
  });

  it('a WebSocket subscription counts toward the stream limit of the token’s owner until the subscription ends', async () => {
    const address = from('192.0.2.10');
    const all = await subscribeMany(1, OF_CALLER, () => connect(address).say({ op: 'auth', token: ann.token }));
    for (const socket of all) {
      subscribe(socket, 1);
      const refused = await socket.until(({ data }) => data.code === 'quota_exceeded');
      expect(refused.at(-1)).toMatchObject({ event: 'problem', stream: expect.stringMatching(/^run:/) });
      expect(refused.at(-1).data).toEqual(problem('A caller', 'streams'));
    }
    expect(await usedUp(await watch({ ...ann.bearer, ...address }))).toEqual(problem('A caller', 'streams'));
    expect((await watch({ ...bob.bearer, ...address })).status).toBe(200);

    // Repeated subscriptions to one stream count once, and unsubscribing frees a slot.
    const stream = `run:${newRunId()}`;
    const other = connect({ ...bob.bearer, ...address });
    for (let n = 0; n < OF_CALLER + 10; n++) other.say({ op: 'subscribe', stream });
    for (let n = 0; n < OF_CALLER + 10; n++) {
      const once = `run:${newRunId()}`;
      other.say({ op: 'subscribe', stream: once }).say({ op: 'unsubscribe', stream: once });
    }
    expect(await obeyed(other)).toHaveLength(1);
    all[0]?.cut();
    await letIn({ ...ann.bearer, ...address });
  });

  it('an IP address can open two hundred streams; the next one is refused, and other addresses are not affected', async () => {
    const all = await watchMany(OF_ADDRESS, from('192.0.2.20'));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(await usedUp(await watch(from('192.0.2.20')))).toEqual(problem('An IP address', 'connections'));
    const socket = connect(from('192.0.2.20'));
    expect((await socket.until(isProblem)).map(({ data }) => data)).toEqual([problem('An IP address', 'connections')]);
    expect(await socket.closed).toBe(1013);

    expect((await watch(from('192.0.2.21'))).status).toBe(200);
    await stele.api.get('/v1/limits').set(from('192.0.2.20')).expect(200);
    all[0]?.cut();
    await letIn(from('192.0.2.20'));
  });

  it('subscriptions over WebSockets count toward the stream limit of an IP address', async () => {
    const address = from('2001:db8:1:2::1');
    const full = await subscribeMany(2, 100, () => connect(address));
    const third = subscribe(connect(from('2001:db8:1:2::2')), 1);
    expect((await third.until(isProblem)).at(-1).data).toEqual(problem('An IP address', 'streams'));
    expect(await usedUp(await watch(address))).toEqual(problem('An IP address', 'streams'));
    expect(await obeyed(subscribe(connect(from('192.0.2.30')), 1))).toHaveLength(1);
    expect(full.flatMap(({ messages }) => messages)).toHaveLength(full.length);
    full[0]?.cut();
    await letIn(address);
  });
});
