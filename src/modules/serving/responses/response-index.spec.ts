import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { HeadersFile } from '../../../content/sitefiles/headers-file.js';
import { RedirectIndex } from '../../../content/sitefiles/redirect-index.js';
import { requestFields } from '../conditions/preconditions.js';
import { chooseHeaders } from '../rules/site-rules.js';
import { DomainIndex } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import { buildVisitedPlace, VisitRecorder } from '../visits/visits.js';
import { FileResponder } from './file-responder.js';
import { FileResponse } from './file-response.js';
import { ResponseIndex } from './response-index.js';

const HOST = 'otter.sites.example';
const file = { path: 'index.html', sha256: 'a'.repeat(64), size: 5_000 };
const site: ServedSite = {
  siteId: 'site_1',
  slug: 'otter',
  deployId: 'dep_1',
  manifest: 'b'.repeat(64),
  program: null,
  anonymous: false,
  expiresAt: null,
  takenDown: false,
  modifiedAt: 0,
  visibility: 'public',
  passwordId: null,
  members: new Set(),
  robots: 'index',
  capabilities: { spa: true, listing: false, connector: false, analytics: false },
  revision: 2,
};

const place = buildVisitedPlace(site, '/', true);

let known: ResponseIndex;
beforeEach(() => {
  known = new ResponseIndex({ site: () => site, siteById: () => site, siteOn: () => site, domains: new DomainIndex() });
});

describe('ResponseIndex', () => {
  const MANY = 20_000;

  /**
   * Caches responses for `MANY` URLs, builds the given number of heads for each response, and returns how many URLs are
   * still cached.
   */
  function remembered(length: number, heads: number): number {
    const headers = { 'x-chosen': 'x'.repeat(length) };
    for (let n = 0; n < MANY; n++) {
      const answer = new FileResponse({ siteId: 'site_1', file, status: 200, headers, modifiedAt: 0 });
      known.keep(HOST, `/${n}`, {
        domain: null,
        slug: 'otter',
        site,
        form: 'host',
        answer,
        place,
        onSent: () => undefined,
      });
      for (let head = 0; head < heads; head++) answer.grow(length);
    }
    return Array.from({ length: MANY }, (_, n) => known.at(HOST, `/${n}`)).filter((each) => each).length;
  }

  it('the index has room for twenty thousand URLs if sites set few headers', () => {
    expect(remembered(200, 1)).toBe(MANY);
  });

  it('the index has room for fewer URLs with long headers, especially if each was sent in every encoding', () => {
    const once = remembered(16_000, 1);
    expect(once).toBeLessThan(5_000);
    expect(once).toBeGreaterThan(500);
    const often = remembered(16_000, 7);
    expect(often).toBeLessThan(1_000);
    expect(often).toBeGreaterThan(100);
  });
});

describe('FileResponder', () => {
  async function isRemembered(...lines: string[]) {
    const headers = new HeadersFile();
    for (const [n, line] of lines.entries()) headers.line(line, n + 1);
    headers.end();
    const chosen = chooseHeaders({ redirects: new RedirectIndex([]), headers: headers.rules }, 'any/page');
    expect([...chosen.set.keys()]).toEqual(['x-a']);
    const request = new IncomingMessage(new Socket());
    request.url = '/any/page';
    const target = {
      form: 'host',
      slug: 'otter',
      hostname: null,
      deployId: null,
      prefix: '/',
      path: 'any/page',
      query: '',
      slash: false,
    };
    const how = { deploy: null, modifiedAt: 0, noindex: false, domain: null, hsts: false };
    const resolved = { site, manifest: site.manifest, ...how };
    const found = { file, status: 200 as const, manifest: 'b'.repeat(64), isItself: false, chosen };
    const answers = new FileResponder(
      { findImmutability: async () => false },
      known,
      new VisitRecorder({ record: () => undefined, passesOver: () => false, wants: () => true }, { isOf: () => false }),
      { of: async () => ({ encoding: null, charset: 'utf-8' }) },
    );
    await answers.of(request, requestFields(['host', HOST]), { ...target, form: 'host' }, resolved, found);
    return known.at(HOST, '/any/page') !== undefined;
  }

  it('caches a response with headers written by the site', async () => {
    expect(await isRemembered('/*', 'X-A: always')).toBe(true);
    expect(await isRemembered('/:folder/*', 'X-A: :nothing')).toBe(true);
  });

  it('does not cache a response whose headers contain a part of the path', async () => {
    expect(await isRemembered('/*', 'X-A: :splat')).toBe(false);
    expect(await isRemembered('/:folder/*', 'X-A: in :folder')).toBe(false);
  });
});
