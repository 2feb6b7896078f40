import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, invoke } from '../../support/connector/connector-site.js';
import { newestMail } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

/**
 * Time within which a waiting poll must end, in milliseconds. It is longer than a wake-up takes, and shorter than a
 * poll waits by default.
 */
const AT_ONCE = 10_000;

type CoOwner = {
  readonly email: string;
  readonly memberId: string;
  readonly owner: ConnectorSite['owner'];
};

describe('Connector tokens', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let site: ConnectorSite;
  let people = 0;

  beforeAll(async () => {
    const folder = await temporaryFolder('connector-rights');
    remove = folder.remove;
    stele = await sharedStele(folder);
  }, 180_000);
  // Each test has a new site, because work leased with a revoked token is only delivered again after a minute.
  beforeEach(async () => {
    site = await connectorSite(stele, 'ann@connector-rights.example.org');
  });
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  const at = (path: string) => `/v1/sites/${site.slug}${path}`;
  async function join(email: string): Promise<CoOwner> {
    await stele.api.post(at('/invites')).set(site.owner).send({ email, role: 'owner' }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return { email, memberId: body.memberId, owner: { authorization: `Bearer ${body.token}` } };
  }
  const coOwner = () => join(`co-owner-${++people}@connector-rights.example.org`);
  const revoked = async () => {
    const { body } = await stele.api.get(at('')).expect(200);
    const log = await stele.log();
    return log.filter(({ stream, type }) => stream === `site-${body.id}` && type === 'ConnectorTokenRevoked');
  };
  const listed = async () =>
    (await stele.api.get(at('/connector/tokens')).set(site.owner).expect(200)).body.items.map(
      ({ id }: { id: string }) => id,
    );

  const demote = ({ memberId }: CoOwner) =>
    stele.api
      .patch(at(`/members/${memberId}`))
      .set(site.owner)
      .send({ role: 'editor' })
      .expect(200);
  const dismiss = ({ memberId }: CoOwner) =>
    stele.api
      .delete(at(`/members/${memberId}`))
      .set(site.owner)
      .expect(204);

  it.each<[string, (bob: CoOwner) => Promise<unknown>]>([
    ['is demoted', demote],
    ['is removed', dismiss],
    [
      'leaves',
      ({ memberId, owner }) =>
        stele.api
          .delete(at(`/members/${memberId}`))
          .set(owner)
          .expect(204),
    ],
    ['deletes the account', ({ owner }) => stele.api.delete('/v1/me').set(owner).expect(204)],
    ['is removed and joins again', async (bob) => dismiss(bob).then(() => join(bob.email))],
    [
      'is demoted and becomes an owner again',
      async (bob) => {
        await demote(bob);
        await stele.api
          .patch(at(`/members/${bob.memberId}`))
          .set(site.owner)
          .send({ role: 'owner' })
          .expect(200);
      },
    ],
  ])('a connector token is revoked with immediate effect when its creator %s', async (_, end) => {
    const bob = await coOwner();
    const [working, waiting] = [
      await agentOf(stele, { ...site, owner: bob.owner }, 'working'),
      await agentOf(stele, { ...site, owner: bob.owner }, 'waiting'),
    ];
    const remaining = await agentOf(stele, site, 'of Ann');
    const calling = invoke(stele, site, { input: 'first' }).then(({ body }) => body);
    const { body: work } = await working.poll(10).expect(200);
    const polling = waiting.poll(25).then(({ status }) => status);
    await waiting.poll().expect(204);
    const before = (await revoked()).length;
    const began = performance.now();
    await end(bob);

    expect(await polling).toBe(204);
    expect(performance.now() - began).toBeLessThan(AT_ONCE);
    for (const agent of [working, waiting]) {
      expect((await agent.poll().expect(401)).body.code).toBe('unauthenticated');
      await agent.answer(work.id, { output: 'not theirs to answer' }).expect(401);
    }
    expect(await listed()).toEqual(expect.arrayContaining([remaining.tokenId]));
    expect(await listed()).not.toEqual(expect.arrayContaining([working.tokenId]));
    const ended = (await revoked()).slice(before).map(({ data }) => JSON.parse(data));
    expect(ended).toEqual([
      { tokenId: working.tokenId, name: 'working' },
      { tokenId: waiting.tokenId, name: 'waiting' },
    ]);
    // The revoked agent's item stays leased until its lease expires. New work goes to the other agents.
    const { body: next } = await invoke(stele, site, { input: 'second', wait: 0 }).expect(202);
    expect((await remaining.poll().expect(200)).body.id).toBe(next.id);
    await remaining.answer(next.id, { output: 1 }).expect(200);
    void calling;
  });

  it('a new connector token is stored with its creator and the creator’s membership', async () => {
    const bob = await coOwner();
    const { tokenId } = await agentOf(stele, { ...site, owner: bob.owner });
    const { body: me } = await stele.api.get('/v1/me').set(bob.owner).expect(200);
    const rows = await stele.query(`select user_id, member_id from connector_tokens where token_id = '${tokenId}'`);
    expect(rows).toEqual([{ user_id: me.id, member_id: bob.memberId }]);
    await dismiss(bob);
  });

  it('deleting a site revokes its connector tokens and ends pending polls', async () => {
    const other = await connectorSite(stele, 'zoe@connector-rights.example.org');
    const agent = await agentOf(stele, other);
    const polling = agent.poll(25).then(({ status }) => status);
    await agent.poll().expect(204);
    const began = performance.now();
    await stele.api.delete(`/v1/sites/${other.slug}`).set(other.owner).expect(204);
    expect(await polling).toBe(204);
    expect(performance.now() - began).toBeLessThan(AT_ONCE);
    await agent.poll().expect(401);
    expect(await stele.query(`select from connector_tokens where token_id = '${agent.tokenId}'`)).toEqual([]);
  });
});
