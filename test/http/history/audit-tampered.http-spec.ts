import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canonical } from '../../../src/kernel/hashing/canonical.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { verify } from '../../support/sites/audit-verifier.js';
import {
  type AuditedSite,
  askedHistory,
  exportOf,
  keysOf,
  siteWith,
  tamper,
} from '../../support/sites/audited-site.js';

/** Needs PostgreSQL, where a superuser can change events with SQL. */
describe('Tampering with a site’s audit trail as a database superuser', () => {
  let stele: Stele;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let site: AuditedSite;
  let stream: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('tampered');
    stele = await startStele({ folder: join(temporary.folder, 'data') });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = await siteWith(stele, 5);
    const { body } = await askedHistory(stele, site, { limit: 1 }).expect(200);
    stream = body.items[0].stream;
  });

  const save = async (name: string, text: string) => {
    await writeFile(join(temporary.folder, name), text);
    return join(temporary.folder, name);
  };
  /** Executes the SQL. Returns the changed export, the service's own report, and the verifier's verdict. */
  const found = async (sql: string) => {
    const before = await save('before.ndjson', await exportOf(stele, site));
    await tamper(stele, sql);
    const text = await exportOf(stele, site);
    expect(JSON.parse(text.trimEnd().split('\n').at(-1)!)).toEqual({
      fault: { stream, revision: expect.any(Number), detail: expect.any(String), at: expect.any(String) },
    });
    expect(text).not.toContain('signature');
    const { code, said, complained } = await verify(await save('after.ndjson', text), '--since', before);
    expect([code, complained]).toEqual([1, '']);
    return said;
  };
  const other = (column: string, place: number) => `case substr(${column}, ${place}, 1) when '9' then '8' else '9' end`;
  const event = (revision: number) => `stream = '${stream}' and revision = ${revision}`;

  it.each([
    ['data', `replace(data, '"number":2', '"number":3')`],
    ['actor', `replace(actor, 'anonymous', 'anonymouz')`],
    ['at', `overlay(at placing ${other('at', 23)} from 23 for 1)`],
    ['id', `overlay(id placing ${other('id', 30)} from 30 for 1)`],
    ['type', `'SiteStaged'`],
  ])('changing one byte in the %s of an event is detected', async (column, value) => {
    const said = await found(`update events set ${column} = ${value} where ${event(3)}`);
    expect(said).toMatch(/line 3: The hash of revision 3 does not match its content/);
  });

  it.each([
    ['is no longer JSON', `replace(data, '{', '')`],
    ['is multi-line JSON', `replace(data, ',', E',\\n')`],
    ['is JSON with other whitespace', `replace(data, ',', ', ')`],
  ])('tampering is detected, and the export stays readable, if the data of an event %s', async (_, value) => {
    const said = await found(`update events set data = ${value} where ${event(3)}`);
    expect(said).toMatch(/line 3: “data” is invalid/);
  });

  it('deleting an event is detected', async () => {
    expect(await found(`delete from events where ${event(3)}`)).toMatch(
      /line 3: Revision 3 is missing: revision 2 is followed by revision 4/,
    );
  });

  it('deleting the first event is detected', async () => {
    expect(await found(`delete from events where ${event(1)}`)).toMatch(/line 1: Revision 1 is missing/);
  });

  it('deleting an event and renumbering the remaining events is detected', async () => {
    const said = await found(
      `delete from events where ${event(3)};
       update events set revision = -revision where stream = '${stream}' and revision > 3;
       update events set revision = -revision - 1 where stream = '${stream}' and revision < 0;`,
    );
    expect(said).toMatch(/line 3: Revision 3 does not follow the previous line/);
  });

  it('swapping two events is detected', async () => {
    const said = await found(
      `update events set revision = -revision where stream = '${stream}' and revision in (3, 4);
       update events set revision = 7 + revision where stream = '${stream}' and revision < 0;`,
    );
    expect(said).toMatch(/line 3: Revision 3 does not follow the previous line/);
  });

  it('inserting an event is detected', async () => {
    const columns = 'type, schema, at, actor, data, hash, previous_hash';
    const said = await found(
      `update events set revision = -revision where stream = '${stream}' and revision > 3;
       update events set revision = 1 - revision where stream = '${stream}' and revision < 0;
       insert into events (stream, revision, id, ${columns}) select stream, 4, id || 'x', ${columns} from events where ${event(3)};`,
    );
    expect(said).toMatch(/line 4: Revision 4 does not follow the previous line/);
  });

  it('inserting an event before the first is detected', async () => {
    const columns = 'type, schema, at, actor, data, hash, previous_hash';
    const said = await found(
      `insert into events (stream, revision, id, ${columns}) select stream, 0, id || 'x', ${columns} from events where ${event(1)}`,
    );
    expect(said).toMatch(/line 1: “revision” is invalid/);
  });

  it('an export is not signed if the end of the log was cut off but the read model still contains it', async () => {
    expect(await found(`delete from events where stream = '${stream}' and revision > 4`)).toMatch(
      /The service itself reports.*The log ends at revision 4, but had revision 6 before/,
    );
  });

  const siteId = () => stream.slice('site-'.length);

  it('cutting off the end of both the log and the read model is detected by comparing with an older export', async () => {
    const older = await save('older.ndjson', await exportOf(stele, site));
    await tamper(
      stele,
      `delete from events where stream = '${stream}' and revision > 4;
       delete from history where site_id = '${siteId()}' and revision > 4;`,
    );
    const newer = await save('newer.ndjson', await exportOf(stele, site));
    expect(await verify(newer)).toMatchObject({ code: 0 });
    expect(await verify(newer, '--since', older)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/line 5: The history was cut off: .* ends at revision 6, but this file at 4/),
    });
  });

  /** Changes the event with this revision, and recomputes all hashes from there. */
  const rewritten = (text: string, from: number) => {
    let previous: string | null = null;
    return text
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { hash: stated, previousHash, ...form } = JSON.parse(line);
        if (form.revision === from) form.data.message = 'nothing happened here';
        const made = form.revision < from ? stated : hash('sha256', `${previous ?? ''}${canonical(form)}`);
        const changed = { ...form, hash: made, previousHash: previous };
        previous = made;
        return changed as { revision: number; hash: string; previousHash: string | null; data: unknown };
      });
  };
  const written = (table: 'events' | 'history', of: string, tail: ReturnType<typeof rewritten>) =>
    tail
      .map(
        ({ revision, hash, previousHash, data }) =>
          `update ${table} set data = '${canonical(data)}', hash = '${hash}', previous_hash = ${previousHash ? `'${previousHash}'` : 'null'}
           where ${of} and revision = ${revision};`,
      )
      .join('\n');

  it('an export is not signed if the end of the log was rewritten but the read model was not', async () => {
    const tail = rewritten(await exportOf(stele, site), 3);
    expect(await found(written('events', `stream = '${stream}'`, tail))).toMatch(
      /line 6: The history was rewritten: .* The first event that differs is revision 3, in line 3/,
    );
  });

  it('rewriting the end of both the log and the read model is detected by comparing with an older export', async () => {
    const text = await exportOf(stele, site);
    const older = await save('older.ndjson', text);
    const line = await save('checkpoint.json', text.trimEnd().split('\n').at(-1)!);
    const tail = rewritten(text, 3);
    await tamper(
      stele,
      written('events', `stream = '${stream}'`, tail) + written('history', `site_id = '${siteId()}'`, tail),
    );
    const newer = await save('newer.ndjson', await exportOf(stele, site));
    expect(await verify(newer, '--key', await save('keys.json', await keysOf(stele)))).toMatchObject({ code: 0 });
    expect(await verify(newer, '--since', older)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/line 6: The history was rewritten: .* is revision 3, in line 3/),
    });
    expect(await verify(newer, '--since', line)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/line 6: The history was rewritten: revision 6 has a different hash/),
    });
  });

  it('tampering is reported in the service’s own log', async () => {
    await found(`update events set at = '${new Date(0).toISOString()}' where ${event(2)}`);
    await waitForOutput(stele.printed, `${stream}: The hash of revision 2 does not match its content.`);
  });
});
