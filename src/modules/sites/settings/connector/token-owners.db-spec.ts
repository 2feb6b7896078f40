import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { created } from '../../../../../test/support/events/site-examples.js';
import { commandBus } from '../../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../../test/support/eventstore/memory-store.js';
import { ConnectorTokenStore, connectorTokensTable } from '../../../../accounts/tokens/connector-tokens.js';
import { RandomIds } from '../../../../adapters/random-ids.js';
import { MemberAdded, MemberRoleChanged, SiteClaimed } from '../../../../events/site/member.events.js';
import { ConnectorTokenIssued } from '../../../../events/site/settings.events.js';
import { type SiteEvent, siteStream } from '../../../../events/site/site.events.js';
import { WakeUps } from '../../../../kernel/ports/wake-ups.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { createTable } from '../../../../storage/tables/table.js';
import { EndingCredentials } from '../../people/tokens/ending-credentials.js';
import { site } from '../../site/state/site.state.js';
import { TokenOwnerReader } from './token-owners.js';

const siteId = 'site_1';
const AT = '2026-11-25T10:00:00.000Z';

class HeardWakeUps extends WakeUps {
  readonly heard: string[] = [];
  override listen = () => undefined;
  override tell = (subject: string, key: string) => void this.heard.push(`${subject} ${key}`);
}

let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool(database.config);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('An upgrade records the owners of connector tokens and revokes the tokens of former owners', async () => {
  await pool.query(`create table connector_tokens (token_hash text primary key, token_id text not null unique,
    site_id text not null, name text not null, created_at timestamptz not null default clock_timestamp(),
    polled_at timestamptz)`);
  for (const n of [1, 2, 3])
    await pool.query('insert into connector_tokens values ($1, $2, $3, $4)', [`h${n}`, `ctk_${n}`, siteId, `no. ${n}`]);
  await createTable(pool, connectorTokensTable);

  const store = new MemoryStore();
  const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
  const record = (id: string, ...events: SiteEvent[]) =>
    transactions.run(siteStream(siteId), site, () => events, {}, { at: AT, actor: { kind: 'user', id } });
  const issued = (n: number) => ConnectorTokenIssued({ tokenId: `ctk_${n}`, name: `no. ${n}` });
  await record('usr_ann', created, SiteClaimed({ memberId: 'mem_ann', userId: 'usr_ann' }));
  await record('usr_bob', MemberAdded({ memberId: 'mem_bob', userId: 'usr_bob', role: 'owner', inviteId: null }));
  await record('usr_ann', issued(1));
  await record('usr_bob', issued(2), issued(3));
  await record('usr_ann', MemberRoleChanged({ memberId: 'mem_bob', userId: 'usr_bob', role: 'viewer' }));

  const wakeUps = new HeardWakeUps();
  const tokens = new ConnectorTokenStore(pool);
  // Only connector tokens are ended in this test, so the stores of other credentials are not used.
  const unused = { end: async () => undefined } as never;
  const credentials = new EndingCredentials(unused, unused, tokens, unused, wakeUps);
  const owners = new TokenOwnerReader(await commandBus(transactions), tokens, credentials);
  await owners.start();
  const kept = 'select token_id, user_id, member_id from connector_tokens';
  expect((await pool.query(kept)).rows).toEqual([{ token_id: 'ctk_1', user_id: 'usr_ann', member_id: 'mem_ann' }]);
  expect(wakeUps.heard).toEqual(['connector-token-revoked ctk_2', 'connector-token-revoked ctk_3']);

  const { events, head } = await store.read(siteStream(siteId));
  expect(events.slice(-2).map(({ type, actor }) => [type, actor.kind])).toEqual([
    ['ConnectorTokenRevoked', 'system'],
    ['ConnectorTokenRevoked', 'system'],
  ]);
  await owners.start();
  expect((await store.read(siteStream(siteId))).head).toEqual(head);
});
