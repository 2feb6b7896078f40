import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { cleanTable, createTable } from '../../storage/tables/table.js';
import { peopleTable } from '../people/people.js';
import { OAuthArtifacts, oauthArtifactsTable } from './oauth-artifacts.js';
import { OAuthClients, oauthClientsTable } from './oauth-clients.js';
import { OAuthGrants, oauthGrantsTable } from './oauth-grants.js';

describe('Stored codes and tokens of connected apps', () => {
  let pool: Pool;
  let drop: () => Promise<void>;
  let artifacts: OAuthArtifacts;
  let grants: OAuthGrants;
  let clients: OAuthClients;

  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    for (const table of [peopleTable, oauthGrantsTable, oauthArtifactsTable, oauthClientsTable])
      await createTable(pool, table);
    artifacts = new OAuthArtifacts(pool);
    grants = new OAuthGrants(pool);
    clients = new OAuthClients(pool);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(async () => {
    await pool.query('truncate people, agent_grants, agent_artifacts, agent_clients cascade');
    await pool.query("insert into people (user_id, email) values ('usr_a', 'a@example.org')");
  });

  const give = (grantId: string, clientId = 'cli_1') =>
    grants.give({ grantId, userId: 'usr_a', clientId, clientName: 'x', scopes: ['read'], sites: null });
  const token = (id: string, grantId: string | null, seconds = 60) =>
    artifacts.keep({ kind: 'AccessToken', id, payload: { aud: 'here', scope: 'read' }, grantId, seconds });
  const count = async (table: string) => (await pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

  it('a single-use token works only once, even if many processes use it simultaneously', async () => {
    await give('grt_1');
    await token('secret', 'grt_1');
    const all = await Promise.all(Array.from({ length: 8 }, () => artifacts.use('AccessToken', 'secret')));
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await artifacts.find('AccessToken', 'secret')).toMatchObject({ used: true });
    expect(await artifacts.find('RefreshToken', 'secret')).toBeNull();
  });

  it('tokens are deleted when their grant ends, and no new tokens are stored for that grant', async () => {
    await give('grt_1');
    expect(await token('one', 'grt_1')).toBe(true);
    await grants.endGrant('grt_1');
    expect(await artifacts.find('AccessToken', 'one')).toBeNull();
    expect(await token('two', 'grt_1')).toBe(false);
    expect(await count('agent_artifacts')).toBe(0);
  });

  it('tokens are deleted with the user, and no new tokens are stored while the user is being erased', async () => {
    await give('grt_1');
    await token('one', 'grt_1');
    await pool.query("update people set going = 'alone'");
    await expect(give('grt_2')).rejects.toMatchObject({ code: 'unauthenticated' });
    await grants.forget({ userId: 'usr_a', email: 'a@example.org' });
    expect([await count('agent_grants'), await count('agent_artifacts')]).toEqual([0, 0]);
  });

  it('tokens expire, and are deleted later', async () => {
    await give('grt_1');
    await token('over', 'grt_1', -1);
    expect(await artifacts.find('AccessToken', 'over')).toBeNull();
    expect(await grants.byToken('over', 'here')).toBeNull();
    await cleanTable(pool, oauthArtifactsTable);
    expect(await count('agent_artifacts')).toBe(0);
  });

  it('a token is valid for only one resource', async () => {
    await give('grt_1');
    await token('one', 'grt_1');
    expect(await grants.byToken('one', 'here')).toMatchObject({ grant: { grantId: 'grt_1' }, scope: 'read' });
    expect(await grants.byToken('one', 'there')).toBeNull();
  });

  it('a grant is deleted if no token was issued for it', async () => {
    await give('grt_taken');
    await give('grt_dropped');
    await token('one', 'grt_taken');
    await cleanTable(pool, oauthGrantsTable);
    expect(await count('agent_grants')).toBe(2);
    await pool.query("update agent_grants set created_at = now() - interval '11 minutes'");
    await cleanTable(pool, oauthGrantsTable);
    expect((await grants.of('usr_a')).map(({ grantId }) => grantId)).toEqual(['grt_taken']);
  });

  it('expired grants are distinguished from revoked ones for a day', async () => {
    for (const id of ['grt_over', 'grt_ended']) {
      await give(id);
      await token(id, id);
    }
    await grants.endGrant('grt_ended');
    const expire = (ago: string) => pool.query(`update agent_grants set last_used_at = now() - interval '${ago}'`);
    await expire('30 days 1 hour');
    await cleanTable(pool, oauthGrantsTable);
    expect(await grants.of('usr_a')).toEqual([]);
    expect(await grants.unrevoked(['grt_over', 'grt_ended'])).toEqual(new Set(['grt_over']));
    await expire('31 days 1 hour');
    await cleanTable(pool, oauthGrantsTable);
    expect(await grants.unrevoked(['grt_over'])).toEqual(new Set());
  });

  it('registered clients that no user has authorized are deleted', async () => {
    for (const id of ['cli_1', 'cli_2', 'cli_3']) await clients.register(id, { client_name: id });
    await give('grt_1', 'cli_1');
    await give('grt_2', 'cli_2');
    await grants.endGrant('grt_2');
    await pool.query("update agent_clients set kept_until = kept_until - interval '2 days'");
    await cleanTable(pool, oauthClientsTable);
    expect(await clients.findClient('cli_1')).toEqual({ client_name: 'cli_1' });
    expect(await clients.findClient('cli_2')).toEqual({ client_name: 'cli_2' });
    expect(await clients.findClient('cli_3')).toBeNull();
    await pool.query("update agent_clients set kept_until = now() - interval '1 second'");
    expect(await clients.findClient('cli_1')).not.toBeNull();
    expect(await clients.findClient('cli_2')).toBeNull();
  });
});
