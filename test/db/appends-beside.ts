import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { z } from 'zod';
import { Catalogue, eventType } from '../../src/events/event-type.js';
import { emptyStream, type NewEvent } from '../../src/kernel/event-store.js';
import { PostgresEngine } from '../../src/storage/store/postgres/postgres.engine.js';

// Simulates another process: appends 50 events to its own stream, and tries to append 50 to a shared stream.
const [, , config = '{}', own = '', shared = ''] = process.argv;

const Noted = eventType('Noted', z.object({ text: z.string() }), { example: { text: 'a note' } });
const event = (text: string): NewEvent => ({
  ...Noted({ text: `neighbour ${text}` }),
  id: `evt_${randomUUID()}`,
  at: new Date().toISOString(),
  actor: { kind: 'system' },
});

const pool = new Pool(JSON.parse(config));
const store = new PostgresEngine({
  pool,
  catalogue: new Catalogue([Noted]),
  isChained: (stream) => stream.startsWith('site-'),
  digest: (text) => createHash('sha256').update(text).digest('hex'),
});
await store.start();

let head = emptyStream;
for (let n = 0; n < 50; n++) {
  const outcome = await store.append(own, head, [event(`${n}`)]);
  if (outcome === 'conflict') throw new Error(`Somebody else wrote to ${own}.`);
  head = outcome.head;
  await store.append(shared, (await store.read(shared)).head, [event(`${n} shared`)]);
}
await store.stop();
await pool.end();
