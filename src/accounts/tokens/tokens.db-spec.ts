import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { createTable } from '../../storage/tables/table.js';
import { peopleTable } from '../people/people.js';
import { AccessTokenStore, accessTokensTable, type NewAccessToken } from './access-tokens.js';
import { type NewPublisher, PublisherStore, publishersTable } from './publishers.js';

const ANN = 'usr_ann';
const BOB = 'usr_bob';

describe('The tables of access tokens and trusted publishers', () => {
  let pool: Pool;
  let drop: () => Promise<void>;
  let tokens: AccessTokenStore;
  let publishers: PublisherStore;

  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    tokens = new AccessTokenStore(pool);
    publishers = new PublisherStore(pool);
    await createTable(pool, peopleTable);
    for (const table of [publishersTable, accessTokensTable])
      await Promise.all([createTable(pool, table), createTable(pool, table)]);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(async () => {
    await pool.query('delete from people');
    for (const id of [ANN, BOB]) await pool.query(`insert into people (user_id, email) values ($1, $1)`, [id]);
  });

  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const site = { siteId: 'site_1', memberId: 'mem_1' };
  const newToken = (tokenId: string, more: Partial<NewAccessToken> = {}): NewAccessToken => ({
    tokenId,
    tokenHash: `hash of ${tokenId}`,
    userId: ANN,
    name: `name of ${tokenId}`,
    role: 'editor',
    site: null,
    publisherId: null,
    createdAt: new Date().toISOString(),
    expiresAt: null,
    ...more,
  });
  const kept = (tokenId: string, more: Partial<NewAccessToken> = {}) => tokens.keep(newToken(tokenId, more));
  const use = (tokenId: string) => tokens.use(`hash of ${tokenId}`);
  const trusted = (publisherId: string, more: Partial<NewPublisher> = {}) =>
    publishers.keep({
      publisherId,
      userId: ANN,
      ...site,
      issuer: 'https://issuer.example',
      project: 'octo/site',
      claims: { repository: 'octo/site' },
      createdAt: new Date().toISOString(),
      ...more,
    });
  const matching = (claims: Record<string, string>) =>
    publishers.matching('https://issuer.example', ['octo/site'], claims);

  it('the number of tokens per user is limited, even in simultaneous calls', async () => {
    await kept('tok_of_site', { site });
    const asked = Array.from({ length: 12 }, (_, n) => tokens.keepOfPerson(newToken(`tok_${n}`), 5));
    expect((await Promise.all(asked)).filter((isKept) => isKept)).toHaveLength(5);
    expect(await tokens.ofPerson(ANN)).toHaveLength(5);
    await tokens.endOfPerson(ANN, (await tokens.ofPerson(ANN))[0]?.tokenId ?? '');
    expect(await tokens.keepOfPerson(newToken('tok_after'), 5)).toBe(true);
    await pool.query('update people set going = now() where user_id = $1', [BOB]);
    await expect(tokens.keepOfPerson(newToken('tok_late', { userId: BOB }), 5)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('using a token returns its user and restrictions, and records the day', async () => {
    await kept('tok_1', { site, role: 'viewer' });
    expect(await tokens.ofSite('site_1')).toMatchObject([{ tokenId: 'tok_1', lastUsedAt: null }]);
    expect(await use('tok_1')).toEqual({
      userId: ANN,
      delegation: { kind: 'token', id: 'tok_1', publisherId: null, role: 'viewer', memberIds: ['mem_1'] },
    });
    const [listed] = await tokens.ofSite('site_1');
    expect(listed?.lastUsedAt).toMatch(/T00:00:00.000Z$/);
    expect(await use('none')).toBeNull();
  });

  it('a token is rejected once it has expired or once it or its publisher is revoked, but its name is kept', async () => {
    await trusted('pub_1');
    await kept('tok_good', { expiresAt: inAnHour });
    await kept('tok_over', { expiresAt: anHourAgo });
    await kept('tok_ended', { site });
    await kept('tok_job', { site, publisherId: 'pub_1' });
    expect(await tokens.isGood('tok_job')).toBe(true);
    await tokens.end(['tok_ended', 'tok_none']);
    await publishers.end(['pub_1', 'pub_none']);
    const good = [];
    for (const id of ['tok_good', 'tok_over', 'tok_ended', 'tok_job']) if (await use(id)) good.push(id);
    expect(good).toEqual(['tok_good']);
    expect(await tokens.ofSite('site_1')).toEqual([]);
    expect((await tokens.namesOf(['tok_ended', 'tok_none'])).get('tok_ended')).toBe('name of tok_ended');
    expect((await publishers.claimsOf(['pub_1'])).get('pub_1')).toEqual({ repository: 'octo/site' });
  });

  it('revoked and deleted tokens are distinguished from expired ones', async () => {
    await kept('tok_over', { expiresAt: anHourAgo });
    await kept('tok_ended', { site });
    await tokens.end(['tok_ended']);
    expect(await tokens.unrevoked(['tok_over', 'tok_ended', 'tok_none'])).toEqual(new Set(['tok_over']));
  });

  it('users can revoke only their own tokens, and only those with access to all sites', async () => {
    await kept('tok_mine');
    await kept('tok_site', { site });
    expect(await tokens.endOfPerson(BOB, 'tok_mine')).toBe(false);
    expect(await tokens.endOfPerson(ANN, 'tok_site')).toBe(false);
    expect(await tokens.endOfPerson(ANN, 'tok_mine')).toBe(true);
    expect(await tokens.endOfPerson(ANN, 'tok_mine')).toBe(false);
    expect(await use('tok_mine')).toBeNull();
    expect(await tokens.ofPerson(ANN)).toEqual([]);
  });

  it('a publisher is found if all its claims match exactly', async () => {
    await trusted('pub_any');
    await trusted('pub_main', { claims: { repository: 'octo/site', ref: 'refs/heads/main' } });
    const ids = async (claims: Record<string, string>) =>
      (await matching(claims)).map(({ publisherId }) => publisherId);
    expect(await ids({ repository: 'octo/site', ref: 'refs/heads/main' })).toEqual(['pub_any', 'pub_main']);
    expect(await ids({ repository: 'octo/site', ref: 'refs/heads/main2' })).toEqual(['pub_any']);
    expect(await ids({ repository: 'octo/site' })).toEqual(['pub_any']);
    expect(await ids({ repository: 'Octo/site' })).toEqual([]);
    expect(await ids({ repository: '%' })).toEqual([]);
    expect(await publishers.isTrusted('https://issuer.example')).toBe(true);
    expect(await publishers.isTrusted('https://issuer.example/')).toBe(false);
  });

  it('a publisher is bound to the first repository ID that uses it, even in simultaneous calls', async () => {
    await trusted('pub_1');
    const uses = await Promise.all(['1', '2', '3'].map((id) => publishers.use('pub_1', { repository_id: id })));
    const [won] = uses.filter((use) => use !== null);
    expect(uses.filter((use) => use !== null)).toHaveLength(1);
    expect(await publishers.use('pub_1', { repository_id: won?.claims.repository_id ?? '' })).not.toBeNull();
    expect(await publishers.use('pub_1', { repository_id: '4' })).toBeNull();
  });

  it('deleting a site or erasing a user deletes its tokens and publishers, and no others', async () => {
    await kept('tok_ann', { site });
    await kept('tok_bob', { userId: BOB, site: { siteId: 'site_2', memberId: 'mem_2' } });
    await trusted('pub_ann');
    await trusted('pub_bob', { userId: BOB, siteId: 'site_2' });
    const ids = async (table: string, id: string) =>
      (await pool.query(`select ${id} as id from ${table} order by 1`)).rows.map((row) => row.id);
    const left = async () => [await ids('access_tokens', 'token_id'), await ids('publishers', 'publisher_id')];
    for (const table of [tokens, publishers]) await table.forget({ userId: ANN, email: 'ann' });
    expect(await left()).toEqual([['tok_bob'], ['pub_bob']]);
    for (const table of [tokens, publishers]) await table.dropOfSite('site_2');
    expect(await left()).toEqual([[], []]);
  });

  it('nothing is stored for a user who is being erased', async () => {
    await pool.query(`update people set going = 'alone' where user_id = $1`, [ANN]);
    await expect(kept('tok_1')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(trusted('pub_1')).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
