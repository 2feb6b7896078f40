import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hanging, serverOf } from '../support/database.js';
import { GitHost } from '../support/git-host.js';
import { MailServer } from '../support/mail-server.js';
import { operator } from '../support/operator.js';
import { SteadyClients } from '../support/steady-clients.js';
import { type Stele, startStele, temporaryFolder } from '../support/stele.js';

describe('One process under load, whose own PostgreSQL', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let git: GitHost;
  let mails: MailServer;
  let stele: Stele;
  let clients: SteadyClients;

  beforeAll(async () => {
    [temporary, git, mails] = await Promise.all([temporaryFolder('outages'), GitHost.open(), MailServer.open()]);
    const env = { SMTP_URL: mails.url, STELE_REPO_HOSTS: git.listed, STELE_RATE_LIMITS: 'on' };
    stele = await startStele({ folder: temporary.folder, env });
    clients = new SteadyClients(stele.port, { git, mails });
    await clients.begin();
  }, 60_000);
  afterAll(async () => {
    await clients?.stop();
    await stele?.stop();
    await mails?.down();
    await git?.close();
    await temporary?.remove();
  }, 60_000);

  const postgres = () => serverOf(join(temporary.folder, 'postgres'));

  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'is ended by %s: it is started again, and whoever asks is answered, or told when to come back',
    async (signal) => {
      await clients.goOn();
      process.kill(await postgres(), signal);
      await clients.goOn();
      expect(clients.wrong).toEqual([]);
    },
    120_000,
  );

  it.each([
    ['for three seconds', () => delay(3_000)],
    ['until everybody was told', () => clients.answered()],
  ])(
    'hangs %s: whoever asks is answered, or told when to come back',
    async (_, meanwhile) => {
      await clients.goOn();
      await hanging(await postgres(), meanwhile);
      await clients.goOn();
      expect(clients.wrong).toEqual([]);
    },
    120_000,
  );

  it('is the same process afterwards, nothing that was answered is lost, and the rows are those of the log', async () => {
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    expect([stele.child.exitCode, stele.child.signalCode]).toEqual([null, null]);
    const { code, out, err } = await operator('projections', ['verify'], { STELE_DATA: temporary.folder }).ran;
    expect([code, err + out]).toEqual([0, expect.any(String)]);
  }, 60_000);
});
