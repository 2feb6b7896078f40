import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServerPlaces } from './server-places.js';

type Server = {
  readonly name: string;
  readonly deploy: { readonly siteId: string };
  readonly standing: { readonly state: 'running' | 'starting'; readonly since: Date; readonly reason: null };
  uses: number;
  usedAt: number;
  isUp: boolean;
};

describe('Slots for running servers', () => {
  let places: ServerPlaces<Server>;
  let owners: Map<string, string>;
  let now: number;

  beforeEach(() => {
    owners = new Map();
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    places = new ServerPlaces<Server>(3, async (siteId) => owners.get(siteId) ?? siteId.slice(0, 1));
  });

  /**
   * Creates a server whose owner is the first letter of its name. `used` is the number of seconds since its last use,
   * or `now` if it is in use.
   */
  const server = (name: string, used: number | 'now', state: 'running' | 'starting' = 'running'): Server => ({
    ...{ name, deploy: { siteId: name }, standing: { state, since: new Date(), reason: null } },
    ...{ uses: used === 'now' ? 1 : 0, usedAt: used === 'now' ? now : now - used * 1_000, isUp: true },
  });
  const take = async (each: Server) => {
    const taken = await places.take(each);
    return taken && `${taken.from.name}${taken.isInUse ? ' in use' : ''}`;
  };
  const full = async (...servers: Server[]) => {
    for (const each of servers) expect(await take(each)).toBeNull();
    return servers;
  };

  it('any owner can use a slot while slots are free', async () => {
    await full(server('a1', 'now'), server('a2', 'now'), server('a3', 'now'));
    expect(places.areTaken).toBe(true);
  });

  it('a slot becomes free when its server has ended', async () => {
    const [first] = await full(server('a1', 'now'), server('a2', 'now'), server('a3', 'now'));
    if (first) first.isUp = false;
    expect(places.areTaken).toBe(false);
    expect(await take(server('b1', 'now'))).toBeNull();
  });

  it.each<[string, Server['name'], () => Server[], string | null]>([
    [
      'the longest unused server if every owner has one server',
      'd1',
      () => [server('a1', 9), server('b1', 10), server('c1', 8)],
      'b1',
    ],
    [
      'an idle server of the owner with the most servers',
      'b1',
      () => [server('a1', 'now'), server('a2', 5), server('c1', 50)],
      'a2',
    ],
    [
      'the owner’s own server if this owner has the most servers',
      'a3',
      () => [server('a1', 5), server('a2', 9), server('b1', 50)],
      'a2',
    ],
    [
      'a server unused for a minute rather than a server in use',
      'b1',
      () => [server('a1', 'now'), server('a2', 'now'), server('c1', 60)],
      'c1',
    ],
    [
      'a server in use of the owner with the most servers',
      'b1',
      () => [server('a1', 'now'), server('a2', 'now'), server('c1', 5)],
      'a1 in use',
    ],
    [
      'a starting server if its owner has no other',
      'b1',
      () => [server('a1', 'now', 'starting'), server('a2', 0, 'starting'), server('c1', 'now')],
      'a1 in use',
    ],
    [
      'a server in use of an owner with one server, for an owner with none',
      'd1',
      () => [server('a1', 'now'), server('b1', 'now'), server('c1', 'now')],
      'a1 in use',
    ],
    [
      'no server of another owner if the waiting owner has the most servers',
      'a3',
      () => [server('a1', 'now'), server('a2', 'now'), server('b1', 5)],
      null,
    ],
    [
      'no server of another owner if both owners have equally many servers',
      'a2',
      () => [server('a1', 'now'), server('b1', 'now'), server('c1', 'now')],
      null,
    ],
  ])('if no slot is free, a waiting server takes the slot of %s', async (_, waiting, holders, from) => {
    await full(...holders());
    const taking = take(server(waiting, 'now'));
    if (from === null) await expect(taking).rejects.toMatchObject({ code: 'server_starting' });
    else expect(await taking).toBe(from);
  });

  it('servers that wait at the same time get different slots', async () => {
    await full(server('a1', 'now'), server('a2', 'now'), server('a3', 'now'));
    const taken = await Promise.allSettled([server('b1', 'now'), server('c1', 'now'), server('d1', 'now')].map(take));
    expect(taken.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code))).toEqual([
      'a1 in use',
      'a2 in use',
      'a3 in use',
    ]);
  });

  it('a slot does not alternate between two owners within a minute while their servers are in use', async () => {
    places = new ServerPlaces<Server>(1, async (siteId) => siteId.slice(0, 1));
    await full(server('a1', 'now'));
    expect(await take(server('b1', 'now'))).toBe('a1 in use');
    await expect(take(server('a1', 'now'))).rejects.toMatchObject({ code: 'server_starting' });
    now += 60_001;
    expect(await take(server('a1', 'now'))).toBe('b1 in use');
  });

  it('a server’s slot counts towards the current owner of its site', async () => {
    await full(server('x1', 'now'), server('y1', 'now'), server('z1', 'now'));
    for (const siteId of ['y1', 'z1']) owners.set(siteId, 'claimer');
    now += 10_001;
    expect(await take(server('b1', 'now'))).toBe('y1 in use');
  });
});
