// needs: database

import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sized } from '../support/jest/sized.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { faultsOfChain, historyOf } from '../support/sites/history.js';

const ROUNDS = sized(12, 5);
const WRITERS = 8;
const FILES = ['index.html', 'a.css', 'b.js', 'deep/c.txt', 'deep/er/d.txt'];

type Site = { readonly slug: string; readonly editToken: string; readonly acknowledged: Map<string, string> };

/** Every file contains a text that identifies its deploy, so that a mixture of two deploys is visible. */
const filesWith = (mark: string) =>
  FILES.map((path) => ({ path, content: `${mark}\n${path}\n`.repeat(1 + randomInt(200)) }));
const markOf = (text: string) => text.slice(0, text.indexOf('\n'));

describe('A service killed at random moments during concurrent deploys', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const sites: Site[] = [];
  let marks = 0;

  beforeAll(async () => {
    temporary = await temporaryFolder('killed');
  });
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  /** Deploys repeatedly, sometimes to a new site, until the service is killed. Records acknowledged deploys. */
  async function write(hear: () => void) {
    for (let mine: Site | null = null; ; ) {
      const mark = `mark-${++marks}`;
      const body = JSON.stringify({ files: filesWith(mark) });
      const headers = { 'content-type': 'application/json', ...(mine && { 'x-svc-edit-token': mine.editToken }) };
      try {
        const response: Response = mine
          ? await fetch(`${stele.base}/v1/deploy?slug=${mine.slug}`, { method: 'PATCH', headers, body })
          : await fetch(`${stele.base}/v1/deploy`, { method: 'POST', headers, body });
        const answer = (await response.json()) as { slug: string; editToken: string; deployId: string };
        expect([response.status, answer]).toEqual([200, expect.anything()]);
        if (!mine) {
          mine = { slug: answer.slug, editToken: answer.editToken, acknowledged: new Map() };
          sites.push(mine);
        }
        mine.acknowledged.set(answer.deployId, mark);
        hear();
      } catch (error) {
        // The service was killed during the request. The error's name is compared because `instanceof` does not work:
        // errors of Node's fetch come from another realm than the test's.
        if (['TypeError', 'SyntaxError'].includes((error as Error).name)) return;
        throw error;
      }
    }
  }

  /** Returns the deploy's text in the files at an address. Fails if the files belong to different deploys. */
  async function markAt(label: string): Promise<string> {
    const pages = await Promise.all(FILES.map((path) => stele.visit(label, `/${path}`).buffer(true).expect(200)));
    const found = new Set(pages.map(({ text, body }) => markOf(text ?? String(body))));
    expect([label, [...found]]).toEqual([label, [expect.any(String)]]);
    return [...found].join();
  }

  /**
   * Reads a site and its history. After a start on a slow machine, the read models can lag behind for longer than a read
   * waits for them, so this repeats the reads for a while until they match.
   */
  async function readSite({ slug, editToken, acknowledged }: Site) {
    for (const enough = performance.now() + 20_000; ; await delay(100)) {
      const history = await historyOf(stele, slug, editToken);
      const { body: site } = await stele.api.get(`/v1/sites/${slug}`).expect(200);
      const ids = new Set(history.map(({ data }) => data.deployId));
      const isUpToDate = site.revision === history.length && [...acknowledged.keys()].every((id) => ids.has(id));
      if (isUpToDate || performance.now() > enough) return { history, site };
    }
  }

  async function check(checked: Site) {
    const { slug, acknowledged } = checked;
    const { history, site } = await readSite(checked);
    expect(faultsOfChain(history)).toEqual([]);

    const deployed = history.filter(({ type }) => type === 'SiteDeployed').map(({ data }) => data);
    expect(deployed.map(({ number }) => number)).toEqual(deployed.map((_, index) => index + 1));
    const recorded = deployed.map(({ deployId }) => deployId);
    expect(recorded).toEqual(expect.arrayContaining([...acknowledged.keys()]));

    expect(site.deployId).toBe(recorded.at(-1));
    expect(site.revision).toBe(history.length);
    const live = await markAt(slug);
    if (acknowledged.has(site.deployId)) expect(live).toBe(acknowledged.get(site.deployId));

    const [deployId, mark] = [...acknowledged][randomInt(acknowledged.size)]!;
    expect(await markAt(`dep-${deployId.slice(4)}`)).toBe(mark);
  }

  it(`acknowledged deploys are served, sites are not mixed up, and histories are valid after each of ${ROUNDS} kills`, async () => {
    stele = await startStele({ folder: temporary.folder });
    for (let round = 1; round <= ROUNDS; round++) {
      const before = sites.length;
      const acknowledged = Promise.withResolvers<void>();
      const writing = Promise.all(Array.from({ length: WRITERS }, () => write(acknowledged.resolve)));
      await acknowledged.promise;
      await delay(randomInt(600));
      expect(await stele.stop('SIGKILL')).toBe('SIGKILL');
      await writing;

      stele = await startStele({ folder: temporary.folder });
      await Promise.all(sites.slice(before).map(check));
    }
    for (let from = 0; from < sites.length; from += WRITERS)
      await Promise.all(sites.slice(from, from + WRITERS).map(check));
    expect(sites.length).toBeGreaterThanOrEqual(ROUNDS);
  }, 300_000);
});
