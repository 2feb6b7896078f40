import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hanging, serverOf } from '../support/database.js';
import { GitHost } from '../support/git-host.js';
import { MailServer } from '../support/mail-server.js';
import { operator } from '../support/operator.js';
import { quietPort } from '../support/quiet-port.js';
import { SteadyClients } from '../support/steady-clients.js';
import { type Stele, startStele, temporaryFolder } from '../support/stele.js';

/** A job whose worker was lost three times is over. */
const KILLS = 2;

describe('One process under load, with the PostgreSQL that it brings', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let git: GitHost;
  let mails: MailServer;
  let env: Record<string, string>;
  let stele: Stele;
  let clients: SteadyClients;

  const start = async () => {
    stele = await startStele({ folder: temporary.folder, env });
  };
  const server = () => serverOf(join(temporary.folder, 'postgres'));

  beforeAll(async () => {
    let port: number;
    [temporary, git, mails, port] = await Promise.all([
      temporaryFolder('outages-of-one'),
      GitHost.open(),
      MailServer.open(),
      quietPort(),
    ]);
    env = { PORT: `${port}`, SMTP_URL: mails.url, STELE_REPO_HOSTS: git.listed, STELE_RATE_LIMITS: 'on' };
    await start();
    clients = new SteadyClients(port, { git, mails });
    await clients.begin();
    // What takes longest has been done once: from now on everything is asked all the time.
    while (!clients.answers.has('job over: 200') && clients.wrong.length === 0) await delay(50);
  }, 120_000);
  afterAll(async () => {
    await clients?.stop();
    await stele?.stop();
    await mails?.down();
    await git?.close();
    await temporary?.remove();
  }, 60_000);

  const disasters: Readonly<Record<string, () => Promise<unknown>>> = {
    'PostgreSQL crashes and recovers': async () => {
      const before = stele.printed().length;
      process.kill(await server(), 'SIGQUIT');
      while (!stele.printed().slice(before).includes('PostgreSQL runs again.')) await once(stele.child.stderr!, 'data');
    },
    'PostgreSQL hangs for three seconds': async () => hanging(await server(), () => delay(3_000)),
    'the process is killed and started again, twice': async () => {
      for (let times = 0; times < KILLS; times++) {
        await clients.whileDead(async () => {
          expect(await stele.stop('SIGKILL')).toBe('SIGKILL');
          await start();
        });
        await delay(randomInt(1_000));
      }
    },
    'both die at once': () =>
      clients.whileDead(async () => {
        const postgres = await server();
        expect(await stele.stop('SIGKILL')).toBe('SIGKILL');
        process.kill(postgres, 'SIGQUIT');
        await start();
      }),
  };

  it.each(Object.keys(disasters))(
    '%s: whoever asks is answered, or told when to come back',
    async (disaster) => {
      await clients.goOn();
      await disasters[disaster]?.();
      await clients.goOn();
      expect(clients.wrong).toEqual([]);
    },
    60_000,
  );

  it('has lost nothing that was answered, and its rows are those of the log', async () => {
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    const verified = await operator('projections', ['verify'], {
      STELE_DATA: temporary.folder,
      EVENTSTORE_URL: stele.eventStoreUrl,
    }).ran;
    expect([verified.code, verified.err + verified.out]).toEqual([0, expect.any(String)]);
  }, 120_000);
});
