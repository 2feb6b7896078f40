import type { Given } from '../faults/points/observed.js';
import { verb } from '../faults/points/verb.js';
import type { Headers, World } from '../faults/points/world.js';
import { type Operation, owns, READ } from './operation.js';
import { theirSite } from './starting-points.js';

async function withDomain(world: World) {
  const given = await theirSite(world);
  const hostname = `${given.mark}.com`;
  const { body } = await world.api.post(`/v1/sites/${given.slug}/domains`).set(given.by).send({ hostname }).expect(201);
  await domainLookedAt(world, { ...given, hostname });
  await world.stele.query(
    `update domain_checks set checked_at = checked_at - interval '1 minute' where hostname = '${hostname}'`,
  );
  return { ...given, hostname, body };
}

type WithHostname = Given & { readonly slug: string; readonly by: Headers; readonly hostname: string };

/**
 * Waits until the service has checked a hostname. If the service did not receive the database's response when it leased
 * the check, the hostname is checked only after the lease expires, a minute later.
 */
const domainLookedAt = (world: World, { hostname }: Pick<WithHostname, 'hostname'>) =>
  world.until(async () => {
    const [row] = await world.stele.query(
      `select checked_at is not null and (leased_until is null or leased_until < clock_timestamp()) as is_so
       from domain_checks where hostname = '${hostname}'`,
    );
    return row?.is_so === true;
  }, 100);

/**
 * If the site's list of domains contains `word`, waits until the service has recorded `event` in the site's history.
 */
const saidBySite = (word: string, event: string) => async (world: World, given: WithHostname) => {
  const said = async (path: string) => JSON.stringify((await world.api.get(path).set(given.by)).body);
  if (!(await said(`/v1/sites/${given.slug}/domains`)).includes(word)) return;
  await domainLookedAt(world, given);
  await world.until(async () => (await said(`/v1/sites/${given.slug}/history`)).includes(event));
};

/** If the domain was removed, waits until the service has recorded the removal in the site's history. */
const goneFromSite = async (world: World, given: WithHostname) => {
  const said = async (path: string) =>
    JSON.stringify((await world.api.get(`/v1/sites/${given.slug}${path}`).set(given.by)).body);
  if ((await said('/domains')).includes(given.hostname)) return;
  await world.until(async () => (await said('/history')).includes('SiteDomainRemoved'));
};

export const domains: readonly Operation[] = [
  {
    operation: 'GET /v1/sites/{slug}/domains',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/domains/{hostname}/zone',
    statuses: owns(404),
  },
  {
    operation: 'GET /v1/me/domains',
    callers: [401, 200],
  },
  {
    operation: 'POST /v1/sites/{slug}/domains',
    statuses: owns(201),
    body: ({ slug }) => ({ hostname: `${slug}.com` }),
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          return { ...given, hostname: `${given.mark}.com` };
        },
        ask: ({ api }, { slug, by, hostname }) => api.post(`/v1/sites/${slug}/domains`).set(by).send({ hostname }),
        settled: saidBySite('"hostname":', 'SiteDomainAdded'),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/domains/access',
    statuses: owns(404),
    body: () => ({ hostname: 'example.org', hsts: true }),
    verbs: [
      verb({
        prepare: withDomain,
        ask: ({ api }, { slug, by, hostname }) =>
          api.post(`/v1/sites/${slug}/domains/access`).set(by).send({ hostname, visibility: 'members', hsts: true }),
        settled: saidBySite('"visibility":"members"', 'SiteDomainChanged'),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/domains/{hostname}',
    statuses: owns(404),
    verbs: [
      verb({
        between: 'The service also checks the DNS records on its own, and shows the findings once they are recorded.',
        prepare: async (world) => ({ ...(await withDomain(world)), isAnybodys: true }),
        ask: ({ api, dns }, { slug, by, hostname, body: { verification, target } }) => {
          dns.zone = {
            ...dns.zone,
            [verification.name]: { TXT: [verification.value] },
            [hostname]: { CNAME: target.value },
          };
          return api.post(`/v1/sites/${slug}/domains/${hostname}`).set(by);
        },
        settled: async (world, given) => {
          await domainLookedAt(world, given);
          await saidBySite('"status":"active"', 'SiteDomainActivated')(world, given);
        },
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/domains/{hostname}',
    statuses: owns(404),
    verbs: [
      verb({
        prepare: withDomain,
        ask: ({ api }, { slug, by, hostname }) => api.delete(`/v1/sites/${slug}/domains/${hostname}`).set(by),
        settled: goneFromSite,
      }),
    ],
  },
];
