import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MailServer } from '../../support/people/mail-server.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const CERTIFICATE = resolve('test/fixtures/stele.test.pem');

describe('Mail', () => {
  let stele: Stele;
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const startWith = async (smtpUrl: string, env: Record<string, string> = {}) => {
    const { folder, remove } = await temporaryFolder('mail');
    ends.push(remove);
    stele = await startStele({ folder, env: { SMTP_URL: smtpUrl, ...env } });
    ends.push(() => stele.stop());
  };
  const serverWith = async (...options: Parameters<typeof MailServer.open>) => {
    const server = await MailServer.open(...options);
    ends.push(() => server.down());
    return server;
  };
  const start = (email: string) => stele.api.post('/v1/auth/start').send({ email });
  const port = async (server: Server) => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ends.push(async () => server.close());
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };

  it('sign-in and claim mails are sent as text and HTML, with the full link and no tracking', async () => {
    const server = await serverWith();
    await startWith(server.url, { STELE_MAIL_FROM: 'Stele of Ann <post@stele.example>' });
    await start('Ann@Example.org').expect(200, { status: 'sent' });
    const signIn = server.newest('ann@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
    const claiming = { slug: site.slug, editToken: site.editToken, email: 'bob@example.org' };
    await stele.api.post('/v1/claim/start').send(claiming).expect(200);
    const claim = server.newest('bob@example.org');

    expect(signIn.mail.subject).toBe(`Sign in to Stele: ${signIn.code}`);
    expect(claim.mail.subject).toBe(`Claim ${site.slug} on Stele`);
    expect(signIn.link).toMatch(new RegExp(`^http://localhost:${stele.port}/v1/auth/verify\\?token=[\\w.-]+$`));
    expect(claim.link).toMatch(new RegExp(`^http://localhost:${stele.port}/v1/claim/verify\\?token=[\\w.-]+$`));
    for (const { mail, link } of [signIn, claim]) {
      const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
      expect(mail.from).toMatchObject({ name: 'Stele of Ann', address: 'post@stele.example' });
      expect(mail.recipients).toHaveLength(1);
      expect(mail.to).toMatchObject([{ address: expect.stringMatching(/^(Ann@Example|bob@example)\.org$/i) }]);
      expect(headers.get('auto-submitted')).toBe('auto-generated');
      expect(headers.get('message-id')).toMatch(/^<[^@\s]+@stele\.example>$/);
      expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThan(Date.now() - 60_000);
      expect(headers.has('x-mailer')).toBe(false);
      expect(mail.attachments).toEqual([]);
      expect(mail.text).toContain(`\n${link}\n`);
      const addresses = [...(mail.html ?? '').matchAll(/(?:href|src|action|background)="([^"]*)"/g)].map(
        ([, at]) => at,
      );
      expect(addresses).toEqual([link]);
      expect(mail.html).toContain(`>${link}</a>`);
      expect(mail.html).not.toMatch(/<(img|script|style|link|iframe|form|meta)/i);
    }
    await stele.api.get(signIn.path).expect(200);
    await stele.api.get(claim.path).expect(200);
  }, 60_000);

  it('mail is sent over an encrypted connection with the configured user name and password', async () => {
    const pem = await readFile(CERTIFICATE, 'utf8');
    const server = await serverWith({
      key: pem,
      cert: pem,
      onAuth: ({ username, password }, { secure }, answer) =>
        secure && username === 'post' && password === 's3cret/?'
          ? answer(null, { user: 'post' })
          : answer(new Error('Who?')),
    });
    const url = `smtp://post:s3cret%2F%3F@127.0.0.1:${server.port}?tls.servername=stele.test`;
    await startWith(url, { NODE_EXTRA_CA_CERTS: CERTIFICATE });
    await start('ann@example.org').expect(200);
    expect(server.newest('ann@example.org').mail).toMatchObject({ secure: true, user: 'post' });
    expect(stele.printed()).not.toContain('s3cret');
  }, 60_000);

  it('sign-in by mail returns 503 if the mail server refuses the password or its certificate is not trusted', async () => {
    const pem = await readFile(CERTIFICATE, 'utf8');
    const server = await serverWith({
      key: pem,
      cert: pem,
      onAuth: (_auth, _session, answer) => answer(new Error('No')),
    });
    await startWith(`smtp://post:wrong-one@127.0.0.1:${server.port}?tls.servername=stele.test`);
    const { body, headers } = await start('ann@example.org').expect(503);
    expect(body).toMatchObject({ code: 'unavailable', retryable: true });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await stele.stop();
    await startWith(`smtp://post:wrong-one@127.0.0.1:${server.port}?tls.servername=stele.test`, {
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
    });
    await start('ann@example.org').expect(503);
    expect(server.mails).toEqual([]);
    await waitForOutput(stele.printed, 'Could not send an email: EAUTH 535');
    expect(stele.printed()).not.toMatch(/wrong-one|ann@example/);
  }, 60_000);

  it('mail is sent again after a temporary refusal or an outage of the mail server', async () => {
    const server = await serverWith();
    await startWith(server.url);
    server.say(451, 2);
    await start('ann@example.org').expect(200);
    expect(server.mails).toHaveLength(1);

    const startDuringOutage = async () => {
      await server.down();
      const before = stele.printed().length;
      const asked = start('bob@example.org').then(({ status }) => status);
      await waitForOutput(() => stele.printed().slice(before), /Could not send an email: E/);
      await server.up();
      return asked;
    };
    // The service gives up after about a second. The test tries again in case the mail server was back too late.
    let status = await startDuringOutage();
    for (let n = 0; n < 3 && status === 503; n++) status = await startDuringOutage();
    expect(status).toBe(200);
    expect(server.mails).toHaveLength(2);
    expect(stele.printed()).not.toMatch(/ann@example|bob@example/);
  }, 120_000);

  it('the response is the same for known and unknown users, whatever the mail server does', async () => {
    const server = await serverWith();
    await startWith(server.url);
    await start('known@example.org').expect(200);
    await stele.api.get(server.newest('known@example.org').path).expect(200);
    const both = async () => {
      const [known, nobody] = await Promise.all([start('known@example.org'), start('nobody@example.org')]);
      expect(nobody.status).toBe(known.status);
      const { requestId: _1, ...one } = known.body;
      const { requestId: _2, ...other } = nobody.body;
      expect(other).toEqual(one);
      return known;
    };
    expect((await both()).status).toBe(200);
    server.say(550);
    expect((await both()).body).toEqual({ status: 'sent' });
    server.say(452);
    expect((await both()).body).toMatchObject({ code: 'unavailable' });
    await server.down();
    expect((await both()).body).toMatchObject({ code: 'unavailable' });
    expect(stele.printed()).not.toMatch(/known@|nobody@/);
  }, 60_000);

  it('sending to a mail server that does not respond fails within seconds', async () => {
    await startWith(`smtp://127.0.0.1:${await port(createServer())}`);
    const { body } = await start('ann@example.org').expect(503);
    expect(body.code).toBe('unavailable');
    expect(stele.printed()).not.toContain('ann@example.org');
  }, 60_000);
});
