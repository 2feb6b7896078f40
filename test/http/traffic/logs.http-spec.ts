import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { signIn } from '../../support/people/sign-in.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { type AccessRow, siteIdOf, writeAccess } from '../../support/traffic/log-rows.js';

type Page = { readonly items: readonly { readonly path: string }[]; readonly next: string | null };

describe('The log of a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let db: Client;
  let site: { slug: string; editToken: string; deployId: string };
  let siteId: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('logs');
    stele = await sharedStele({ folder: temporary.folder });
    db = new Client(stele.database);
    await db.connect();
  }, 180_000);
  afterAll(async () => {
    await db?.end();
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = (await stele.api.post('/v1/deploy').type('html').send('first').expect(200)).body;
    siteId = await siteIdOf(stele, site.slug, { 'x-svc-edit-token': site.editToken });
  });

  const write = (...rows: AccessRow[]) => writeAccess(db, siteId, rows);
  const asked = (query: object | string = {}, token = site.editToken) =>
    stele.api.get(`/v1/sites/${site.slug}/logs`).query(query).set('x-svc-edit-token', token);
  const items = async (query: object = {}) => (await asked(query).expect(200)).body.items;
  const paths = async (query: object = {}) => (await items(query)).map(({ path }: { path?: string }) => path);

  it('events of a site appear in its log immediately, newest first, without names', async () => {
    await stele.api
      .patch('/v1/deploy')
      .query({ slug: site.slug })
      .set({ 'x-svc-edit-token': site.editToken, 'content-type': 'text/html' })
      .send('second')
      .expect(200);
    const [second, first, created] = await items();
    expect(second).toMatchObject({
      kind: 'deploy',
      level: 'info',
      message: 'Deploy 2: 1 file, 6 bytes',
      type: 'SiteDeployed',
      actor: { kind: 'anonymous' },
    });
    expect(first).toMatchObject({ kind: 'deploy', deployId: site.deployId });
    expect(created).toMatchObject({ kind: 'system', message: `Created as ${site.slug}` });
    expect(BigInt(second.id) > BigInt(first.id)).toBe(true);
  });

  it('the log shows each request with its details, but nothing that identifies the visitor', async () => {
    const at = new Date('2026-11-20T10:54:00.123Z');
    const [id] = await write({
      at,
      path: '/a b/ü',
      status: 404,
      bytes: 5,
      ms: 12.345,
      referrer: 'example.org',
      visitor: '-2',
    });
    const [entry] = await items({ kind: 'access' });
    expect(entry).toEqual({
      id: String(id),
      at: '2026-11-20T10:54:00.123Z',
      kind: 'access',
      level: 'warn',
      message: 'GET /a b/ü 404',
      method: 'GET',
      path: '/a b/ü',
      status: 404,
      bytes: 5,
      ms: 12.3,
      referrer: 'example.org',
      client: 'person',
      visitor: '__________4',
    });
  });

  it('an entry that combines several requests shows the number of requests', async () => {
    await write({ hits: 12 });
    expect(await items({ kind: 'access' })).toMatchObject([{ hits: 12 }]);
  });

  describe('filters', () => {
    beforeEach(async () => {
      await write(
        { path: '/one', status: 200, at: new Date('2026-11-20T10:00:00Z') },
        { path: '/two%', status: 404, at: new Date('2026-11-20T11:00:00Z') },
        { path: '/two_x/Three', status: 301, method: 'HEAD', at: new Date('2026-11-20T12:00:00Z') },
        { path: '/four', status: 503, at: new Date('2026-11-20T13:00:00Z') },
        { path: '/ÄÖ', status: 410, at: new Date('2026-11-20T14:00:00Z') },
      );
    });
    const access = { kind: 'access' };

    it.each([
      ['a kind', { kind: 'deploy,system' }, [undefined, undefined]],
      ['a level', { ...access, level: 'error' }, ['/four']],
      ['several levels', { ...access, level: 'error,warn' }, ['/ÄÖ', '/four', '/two%']],
      ['a status', { status: '404' }, ['/two%']],
      ['a class of statuses', { status: '4xx' }, ['/ÄÖ', '/two%']],
      ['several statuses', { status: '404,5xx' }, ['/four', '/two%']],
      ['the beginning of a path', { path: '/two' }, ['/two_x/Three', '/two%']],
      ['a path with an SQL wildcard', { path: '/two_' }, ['/two_x/Three']],
      ['a path with a percent sign', { path: '/two%' }, ['/two%']],
      ['text of the message, in either case', { ...access, q: 'tHREE 301' }, ['/two_x/Three']],
      ['text that is a pattern in SQL', { ...access, q: '%' }, ['/two%']],
      ['a backslash', { ...access, q: '\\' }, []],
      ['a method', { ...access, q: 'head ' }, ['/two_x/Three']],
      ['non-ASCII text', { q: '/Ä' }, ['/ÄÖ']],
      ['text of an entry that is not a request', { q: 'deploy 1' }, [undefined]],
      ['a start', { ...access, since: '2026-11-20T13:00:00Z' }, ['/ÄÖ', '/four']],
      ['an end', { ...access, until: '2026-11-20T11:00:00+00:00' }, ['/one']],
      [
        'a span',
        { ...access, since: '2026-11-20T11:00:00Z', until: '2026-11-20T12:00:00.001Z' },
        ['/two_x/Three', '/two%'],
      ],
      ['a status that matches nothing', { status: '500' }, []],
    ])('entries can be filtered by %s', async (_, query, found) => expect(await paths(query)).toEqual(found));
  });

  it('each entry appears on exactly one page, even if new entries arrive while the pages are read', async () => {
    await write(...Array.from({ length: 7 }, (_, n) => ({ path: `/${n}` })));
    const first = (await asked({ kind: 'access', limit: 3 }).expect(200)).body;
    expect(first).toMatchObject({ limit: 3, next: first.items[2].id });
    await write({ path: '/late' });
    const second = (await asked({ kind: 'access', limit: 3, before: first.next }).expect(200)).body;
    await write({ path: '/later' });
    const third = (await asked({ kind: 'access', limit: 3, before: second.next }).expect(200)).body;
    const all = [first, second, third].flatMap(({ items: each }) => each.map(({ path }: { path: string }) => path));
    expect(all).toEqual(['/6', '/5', '/4', '/3', '/2', '/1', '/0']);
    expect(third.next).toBeNull();
    expect(await paths({ kind: 'access', after: first.items[0].id })).toEqual(['/later', '/late']);
  });

  it('each response covers a limited part of a long log, and says where to continue', async () => {
    await write({ path: '/needle' }, ...Array.from({ length: 60_000 }, () => ({ path: '/hay' })));
    let pages = 0;
    const found: string[] = [];
    for (let before: string | null = ''; before !== null; pages++) {
      const { body }: { body: Page } = await asked({ q: 'needle', ...(before && { before }) }).expect(200);
      found.push(...body.items.map(({ path }) => path));
      before = body.next;
    }
    expect(found).toEqual(['/needle']);
    expect(pages).toBe(2);
  });

  it.each([
    ['an unknown parameter', { colour: 'red' }, 'colour'],
    ['a page number', { page: 2 }, 'page'],
    ['an unknown kind', { kind: 'access,acces' }, 'kind'],
    ['an empty kind', { kind: '' }, 'kind'],
    ['an unknown level', { level: 'fatal' }, 'level'],
    ['an invalid status', { status: '4x' }, 'status'],
    ['a status beyond the range', { status: '999' }, 'status'],
    ['twenty-one statuses', { status: Array(21).fill('404').join(',') }, 'status'],
    ['a limit of zero', { limit: 0 }, 'limit'],
    ['a limit that is too high', { limit: 501 }, 'limit'],
    ['a non-numeric limit', { limit: '1e1x' }, 'limit'],
    ['an invalid time', { since: 'yesterday' }, 'since'],
    ['a day that does not exist', { until: '2026-02-30T00:00:00Z' }, 'until'],
    ['an end before the start', { since: '2026-11-20T12:00:00Z', until: '2026-11-20T11:00:00Z' }, 'until'],
    ['an invalid id', { before: '-1' }, 'before'],
    ['an id beyond the safe integers', { after: '9999999999999999' }, 'after'],
    ['an empty text', { q: '' }, 'q'],
    ['a text that is too long', { q: 'x'.repeat(201) }, 'q'],
    ['a path that is too long', { path: `/${'x'.repeat(1_024)}` }, 'path'],
    ['a text that no database can store', { q: 'a\0b' }, 'query'],
    ['a repeated parameter', 'q=a&q=b', 'q'],
  ])('a query with %s is refused, and the error names the parameter', async (_, query, name) => {
    const { body } = await asked(query).expect(400);
    expect(body.code).toBe('invalid_request');
    expect(JSON.stringify([body.errors, body.detail])).toContain(name);
  });

  it('search text is taken literally', async () => {
    const texts = ["'; drop table access_entries; --", '$1', '\u202eevil', '😀', '.*(', '[', '\\%', '\ufffd'];
    await write(...texts.map((path) => ({ path })));
    for (const q of texts) expect(await paths({ q })).toEqual([q]);
    await asked('q=%ff%fe').expect(200);
    await asked('q=%ED%A0%80').expect(200);
  });

  it('the log can be read with the edit token and by everybody with a role on the site', async () => {
    await stele.api.get(`/v1/sites/${site.slug}/logs`).expect(401);
    await asked({}, strangerToken).expect(403);
    await stele.api.get('/v1/sites/no-such-site/logs').set('x-svc-edit-token', site.editToken).expect(404);
    const { bearer } = await signIn(stele, 'stranger@logs.example.org');
    await stele.api.get(`/v1/sites/${site.slug}/logs`).set(bearer).expect(403);
  });

  it('if the site is hidden from the caller, so is the log, whatever the query', async () => {
    const owner = await signIn(stele, 'owner@logs.example.org');
    const stranger = await signIn(stele, 'other@logs.example.org');
    const { body } = await stele.api.post('/v1/deploy').set(owner.bearer).type('html').send('mine').expect(200);
    await stele.api.post(`/v1/sites/${body.slug}/access`).set(owner.bearer).send({ visibility: 'members' }).expect(200);
    for (const query of [{}, { colour: 'red' }])
      for (const headers of [{}, stranger.bearer])
        await stele.api.get(`/v1/sites/${body.slug}/logs`).query(query).set(headers).expect(404);
    await stele.raw
      .get(`/sites/${body.slug}/logs`)
      .set({ accept: 'text/html', ...stranger.bearer })
      .expect(404);
    await stele.api.get(`/v1/sites/${body.slug}/logs`).set(owner.bearer).expect(200);
  });

  it('the log never shows entries of another site', async () => {
    const other = (await stele.api.post('/v1/deploy').type('html').send('other').expect(200)).body;
    await writeAccess(db, await siteIdOf(stele, other.slug, { 'x-svc-edit-token': other.editToken }), [
      { path: '/secret' },
    ]);
    expect(JSON.stringify(await items())).not.toContain('secret');
    expect(JSON.stringify(await items({ q: 'secret' }))).toBe('[]');
  });

  it('the log of an expired, taken down or deleted site is no longer available', async () => {
    await stele.api
      .post(`/v1/admin/sites/${site.slug}/takedown`)
      .set('authorization', 'Bearer operator-token-of-tests')
      .send({ reason: 'phishing' })
      .expect(200);
    await asked().expect(451);
    const { body: brief } = await stele.api.post('/v1/deploy?expires=2s').type('html').send('brief').expect(200);
    const { body: gone } = await stele.api.post('/v1/deploy').type('html').send('gone').expect(200);
    await stele.api.delete(`/v1/sites/${gone.slug}`).set('x-svc-edit-token', gone.editToken).expect(204);
    await stele.api.get(`/v1/sites/${gone.slug}/logs`).set('x-svc-edit-token', gone.editToken).expect(404);
    const isOver = () =>
      stele.api
        .get(`/v1/sites/${brief.slug}/logs`)
        .set('x-svc-edit-token', brief.editToken)
        .then(({ status }) => status === 410);
    while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 100));
  });

  describe('the log as CSV', () => {
    const csv = (query: object = {}) => asked(query).set('accept', 'text/csv').buffer(true).expect(200);

    it('the CSV file contains all results in RFC 4180 format, and nothing that a spreadsheet would execute', async () => {
      await write(
        { path: '/plain', visitor: '1' },
        { path: '=cmd|calc', referrer: '@evil' },
        { path: '/a "b", c\nd' },
        { path: '-1+1' },
      );
      const { text, headers } = await csv({ kind: 'access' });
      expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
      expect(headers['content-disposition']).toBe(`attachment; filename="${site.slug}-log.csv"`);
      const [header, ...lines] = text.split('\r\n');
      expect(header).toBe(
        'id,at,kind,level,message,method,path,status,hits,bytes,ms,referrer,client,visitor,type,deployId,jobId',
      );
      expect(lines).toHaveLength(5);
      expect(lines[0]).toMatch(/,GET -1\+1 200,GET,'-1\+1,200,/);
      expect(lines[1]).toContain('"GET /a ""b"", c\nd 200",GET,"/a ""b"", c\nd",200');
      expect(lines[2]).toContain("GET,'=cmd|calc,200,,1234,1.5,'@evil,person,");
      expect(lines[3]).toMatch(/,person,AAAAAAAAAAE,,,$/);
      expect(lines[4]).toBe('');
    });

    it('the CSV file can be longer than a page, up to the requested limit', async () => {
      await write(...Array.from({ length: 1_234 }, (_, n) => ({ path: `/${n}` })));
      const lines = async (query: object) => (await csv(query)).text.trimEnd().split('\r\n');
      expect(await lines({ kind: 'access' })).toHaveLength(1_235);
      expect((await lines({ kind: 'access', q: '/7 ' }))[1]).toContain(',/7,');
      expect(await lines({ limit: 7 })).toHaveLength(8);
      expect(await lines({ kind: 'job' })).toHaveLength(1);
    });
  });
});
