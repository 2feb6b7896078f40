import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { credentialFlows } from '../../support/people/credential-flows.js';
import { LeakDetector } from '../../support/people/leak-detector.js';
import { MailServer } from '../../support/people/mail-server.js';
import { RealProvider } from '../../support/people/real-provider.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Secrets handed out to a user', () => {
  const detector = new LeakDetector();
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let mails: MailServer;
  let provider: RealProvider;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('leaks');
    mails = await MailServer.open();
    provider = await RealProvider.open({
      'idp-ann': { email: 'Idp-Ann@example.org', email_verified: true, name: 'Ann' },
      'idp-bob': { email: 'idp-bob@example.org', email_verified: false },
    });
    stele = await startStele({ folder: temporary.folder, env: { SMTP_URL: mails.url, ...provider.env } });
    provider.serve(`http://localhost:${stele.port}`);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await mails?.down();
    await provider?.close();
    await temporary.remove();
  });

  it.each(Object.entries(credentialFlows))('the user gets a secret when %s', (_, flow) =>
    flow({ stele, mails, provider, detector, api: detector.watching(stele.api), raw: detector.watching(stele.raw) }),
  );

  it('no table, event, log line or file contains a secret or an unexpected email address', async () => {
    detector.read(mails);
    expect(detector.count).toBeGreaterThan(90);
    expect(await detector.leaks(stele)).toEqual([]);
  }, 180_000);

  it('the leak detector finds a secret wherever it is planted', async () => {
    const token = detector.secret('planted token', 'stele_edit_planted0000000000000000000000000');
    const address = detector.address('planted@example.org');
    await writeFile(join(temporary.folder, 'packs', 'planted'), `${token} ${address}`);
    await stele.query(
      `insert into waitlist (email, note) values ('w@example.org', '${token} ${address.toUpperCase()}')`,
    );
    await stele.query(`insert into sessions (session_id, token_hash, user_id) values ('ses_p', '${token}', 'usr_p')`);
    await stele.query('checkpoint');
    const found = await detector.leaks(stele);
    expect(found).toEqual(
      expect.arrayContaining([
        { what: 'planted token', where: 'file packs/planted' },
        { what: 'planted@example.org', where: 'file packs/planted' },
        { what: 'planted token', where: 'table waitlist.note' },
        { what: 'planted@example.org', where: 'table waitlist.note' },
        { what: 'planted token', where: 'table sessions.token_hash' },
        { what: 'planted token', where: expect.stringMatching(/^file postgres\/data\/(base|pg_wal)\//) },
      ]),
    );
    expect(new Set(found.map(({ what }) => what))).toEqual(new Set(['planted token', 'planted@example.org']));
  }, 180_000);
});
