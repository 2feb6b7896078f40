// needs: database

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { sized } from '../../support/jest/sized.js';
import { EventStreamClient, type Heard } from '../../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';
import { eventsOf, newRunId } from '../../support/sites/runs.js';

const EVENTS = sized(1_000, 500);
const LINES_EACH = 10;

/** Minimum number of cuts for each of the eight watchers. */
const CUTS = sized(14, 7);

describe('Interrupted live streams', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;
  const start = (port = 0) =>
    startStele({
      folder: temporary.folder,
      env: { DATABASE_URL: databaseUrl(database.config), PORT: String(port) },
    });

  beforeAll(async () => {
    temporary = await temporaryFolder('cut');
    database = await freshDatabase();
    one = await start();
    two = await start();
  }, 120_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  type Connection = {
    readonly heard: () => readonly Heard[];
    readonly closed: Promise<unknown>;
    readonly cut: () => void;
  };

  function events(base: string, runId: string, after: number): Connection {
    const watching = new EventStreamClient(base + eventsOf(runId), after > 0 ? { 'last-event-id': String(after) } : {});
    return { heard: () => watching.events, closed: watching.closed, cut: () => watching.cut() };
  }

  function lines(base: string, runId: string, after: number): Connection {
    const watching = new EventStreamClient(`${base}${eventsOf(runId)}?after=${after}`, {
      accept: 'application/x-ndjson',
    });
    const whole = () => watching.body.slice(0, watching.body.lastIndexOf('\n') + 1).split('\n');
    const heard = () =>
      watching.status === 200
        ? whole()
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [];
    return { heard, closed: watching.closed, cut: () => watching.cut() };
  }

  function socket(base: string, runId: string, after: number): Connection {
    const opened = new WebSocketClient(`${base}/v1/live`).say({ op: 'subscribe', stream: `run:${runId}`, after });
    return { heard: () => opened.messages, closed: opened.closed, cut: () => opened.cut() };
  }

  /** Follows a stream to its end event, cutting connections and reconnecting. */
  async function followed(connect: typeof events, base: string, runId: string) {
    const all: Heard[] = [];
    let cuts = 0;
    /** Number of consecutive connections cut before they delivered an event. Each makes the next one last longer. */
    let inVain = 0;
    for (let isOver = false; !isOver; ) {
      const connection = connect(base, runId, all.length);
      const cut = setTimeout(() => connection.cut(), cuts < CUTS ? 50 + Math.random() * 250 * (1 + inVain) : 600_000);
      const ended = new AbortController();
      const told = async () => {
        while (!ended.signal.aborted && !connection.heard().some(({ event }) => event === 'end')) await pause(20);
      };
      await Promise.race([connection.closed, told()]);
      ended.abort();
      clearTimeout(cut);
      connection.cut();
      const heard = connection.heard();
      inVain = heard.length > 0 ? 0 : inVain + 1;
      if (heard.length > 0) cuts++;
      all.push(...heard.filter(({ event }) => event !== 'end'));
      isOver = heard.some(({ event }) => event === 'end');
      await pause(20);
    }
    return { all, cuts };
  }

  /** Reports the run's events one by one. Repeats each event until the service acknowledges it. */
  async function write(runId: string, between: (n: number) => Promise<void>) {
    for (let n = 0; n < EVENTS; n++) {
      await between(n);
      const text = Array.from({ length: LINES_EACH }, (_, k) => `line ${n * LINES_EACH + k}`);
      const kind = n === EVENTS - 1 ? 'run.succeeded' : 'run.log';
      for (let status = 0; status !== 202; ) {
        status = await fetch(`${one.base}/v1/cli/event`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ runId, kind, data: { lines: text } }),
        }).then(
          async (answer) => {
            await answer.text();
            return answer.status;
          },
          () => 0,
        );
        if (status === 409) return; // The event was stored, but the response was lost.
        if (status !== 202) await pause(100);
      }
    }
  }

  it('streams neither lose nor repeat events despite lost connections, server crashes and database outages', async () => {
    const runId = newRunId();
    const bases = [one.base, two.base] as const;
    const ways = [events, events, socket, lines].flatMap((way) => bases.map((base) => [way, base] as const));
    const watchers = ways.map(([way, base]) => followed(way, base, runId));

    await write(runId, async (n) => {
      if (n === 0.3 * EVENTS) {
        await two.stop('SIGKILL');
        two = await start(two.port);
      }
      if (n === 0.5 * EVENTS) {
        const pool = new pg.Pool(database.config);
        await pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        await pool.end();
      }
      if (n === 0.66 * EVENTS) {
        await one.stop('SIGKILL');
        one = await start(one.port);
      }
    });

    const recorded: (Heard & { readonly data: { readonly data: { readonly lines: string[] } } })[] = [];
    for (let isWhole = false; !isWhole; ) {
      const page = `${eventsOf(runId)}?limit=500&after=${recorded.length}`;
      const { body } = await one.api.get(page).accept('application/json').expect(200);
      recorded.push(...body.items);
      isWhole = body.ended || body.items.length === 0;
    }
    const written = recorded.flatMap(({ data }) => data.data.lines);
    expect([...new Set(written)]).toEqual(Array.from({ length: EVENTS * LINES_EACH }, (_, n) => `line ${n}`));

    const results = await Promise.all(watchers);
    for (const { all } of results) {
      expect(all.map(({ id, event, data }) => ({ id, event, data }))).toEqual(recorded);
    }
    expect(results.reduce((sum, { cuts }) => sum + cuts, 0)).toBeGreaterThan(sized(100, 50));
  }, 300_000);

  it('a server that is stopping sends its stream clients a retry time, and ends the streams cleanly', async () => {
    const third = await start();
    const watching = Array.from({ length: 20 }, () => new EventStreamClient(third.base + eventsOf(newRunId())));
    await Promise.all(watching.map((each) => each.opened()));
    const sockets = Array.from({ length: 5 }, () =>
      new WebSocketClient(`${third.base}/v1/live`).say({ op: 'subscribe', stream: `run:${newRunId()}` }).say('{}'),
    );
    await Promise.all(sockets.map((each) => each.until(({ event }) => event === 'problem')));
    expect(await third.stop()).toBe(0);
    expect(await Promise.all(watching.map(({ closed }) => closed))).toEqual(watching.map(() => true));
    const times = watching.map(({ retry }) => retry ?? 0);
    expect(times.every((ms) => ms >= 1_000 && ms < 3_000)).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(1);
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(sockets.map(() => 1012));
  }, 60_000);
});
