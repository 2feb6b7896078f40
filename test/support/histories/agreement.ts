import { setTimeout as delay } from 'node:timers/promises';
import { cookieOf, visitorOf } from '../people/site-visitor.js';
import { faultsOfChain, historyOf } from '../sites/history.js';
import { positionOf, type RecordedSite } from './recorded.js';
import type { SiteModel } from './site-model.js';
import type { Place, TwoProcesses } from './two-processes.js';

export async function disagreements(
  processes: TwoProcesses,
  sites: readonly SiteModel[],
  recorded: ReadonlyMap<string, RecordedSite>,
): Promise<readonly string[]> {
  const position = await positionOf(processes.pool);
  const faults: string[] = [];
  for (const site of sites)
    for (const place of [0, 1] as const) {
      const found = await ofSite(processes, place, site, recorded.get(site.key), position);
      faults.push(...found.map((fault) => `${site.slug} at process ${place}: ${fault}`));
    }
  return faults;
}

async function ofSite(
  processes: TwoProcesses,
  place: Place,
  site: SiteModel,
  recorded: RecordedSite | undefined,
  position: string,
): Promise<readonly string[]> {
  const headers = { ...processes.readerOf(site.members, site.key), 'stele-position': position };
  const read = (path: string, more = {}) =>
    processes.ask(place, { method: 'GET', path, headers: { ...headers, ...more } });
  const path = `/v1/sites/${site.slug}`;
  const shown = await read(path);
  const wanted = site.status === 'deleted' ? 404 : site.takenDown ? 451 : 200;
  const canRead = Object.keys(site.members).length > 0 || processes.holdsTokenOf(site.key);
  if (!canRead && site.visibility !== 'public') return [];
  if (shown?.status !== wanted) return [`it is shown with ${shown?.status}, not ${wanted}`];
  const faults = [...(await ofVisit(processes, place, site))];
  if (wanted !== 200) return faults;
  const { deployId, revision, title, visibility, slug } = shown.body as Record<string, unknown>;
  const now = { deployId, revision, title: title ?? '', visibility, slug };
  const expected = {
    deployId: recorded?.deployIds[site.live - 1],
    revision: site.revision,
    title: site.title,
    visibility: site.visibility,
    slug: site.slug,
  };
  if (JSON.stringify(now) !== JSON.stringify(expected))
    faults.push(`it is shown as ${JSON.stringify(now)}, not ${JSON.stringify(expected)}`);
  if (!canRead) return faults;

  const items = (await read(`${path}/history?limit=100`))?.body.items ?? [];
  const types = items.map(({ type }: { type: string }) => type).reverse();
  if (`${types}` !== `${recorded?.types.slice(-100)}`)
    faults.push(`its history is ${types}, and the log has ${recorded?.types}`);
  const events = (await read(`${path}/events?limit=500`, { accept: 'application/json' }))?.body;
  if (events?.total !== site.revision) faults.push(`its stream has ${events?.total} events, not ${site.revision}`);
  const deploys = (await read(`${path}/deploys?limit=100`))?.body.items ?? [];
  const live = deploys.find((each: { deployId: string }) => each.deployId === expected.deployId);
  if (deploys.length !== site.deploys.length || live?.status !== 'live')
    faults.push(`its deploys are ${JSON.stringify(deploys.map((each: { status: string }) => each.status))}`);
  const file = await read(`${path}/files/index.html`);
  if (file?.text !== site.deploys[site.live - 1]?.mark) faults.push(`its file is ${file?.status} ${file?.text}`);
  return faults;
}

/**
 * Checks a visit to a site. After a process was killed, its index may lag behind the log by up to two seconds, or longer
 * on a slow machine.
 */
async function ofVisit(processes: TwoProcesses, place: Place, site: SiteModel): Promise<readonly string[]> {
  if (site.visibility === 'members') return [];
  const wanted = site.status === 'deleted' ? 404 : site.takenDown ? 451 : 200;
  const mark = site.deploys[site.live - 1]?.mark;
  const asks = wanted === 200 && site.visibility === 'password';
  for (let tries = 0; ; tries++) {
    const { status, text } = await processes.at(place).visit(site.slug).buffer(true);
    const found = asks ? await ofDoor(processes, place, site, status, mark) : null;
    if (asks ? found === null : status === wanted && (status !== 200 || text === mark)) return [];
    if (tries === 200) return [found ?? `visitors get ${status} ${text.slice(0, 60)}, not ${wanted} ${mark}`];
    await delay(50);
  }
}

/** Checks that a password-protected site is visible only with its current password. */
async function ofDoor(
  processes: TwoProcesses,
  place: Place,
  { slug, password, formerPasswords }: SiteModel,
  status: number,
  mark: string | undefined,
): Promise<string | null> {
  if (status !== 401) return `visitors who say nothing get ${status}`;
  const stele = processes.at(place);
  const { visit, knock } = visitorOf(stele, `${slug}.localhost:${stele.port}`);
  const former = formerPasswords.at(-1);
  if (former && former.text !== password?.text) {
    const refused = await knock({ password: former.text });
    if (refused.status !== 403) return `by the password of before, visitors get ${refused.status}`;
  }
  const entered = await knock({ password: password?.text ?? '' });
  if (entered.status !== 303) return `by its password, visitors get ${entered.status}`;
  const seen = await visit('/', { cookie: cookieOf(entered) });
  return seen.body.toString() === mark ? null : `whoever knows its password sees ${seen.status} ${seen.body}`;
}

export async function chainFaults(processes: TwoProcesses, site: SiteModel): Promise<readonly string[]> {
  if (site.status === 'deleted' || site.takenDown || !processes.holdsTokenOf(site.key) || !site.hasToken) return [];
  const token = processes.readerOf({}, site.key)['x-svc-edit-token'] ?? '';
  return faultsOfChain(await historyOf(processes.at(0), site.slug, token));
}
