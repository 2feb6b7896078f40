import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { bob, by } from '../../../../../test/support/events/site-examples.js';
import { commandBus } from '../../../../../test/support/eventstore/command-bus.js';
import { MemoryStore } from '../../../../../test/support/eventstore/memory-store.js';
import { changeMasterKey } from '../../../../accounts/keys/master-key-change.js';
import { openRootKey } from '../../../../accounts/keys/root-key.js';
import { SitePasswords, sitePasswordsTable } from '../../../../accounts/site-passwords.js';
import { Vault, vaultTable } from '../../../../accounts/vault.js';
import { RandomIds } from '../../../../adapters/random-ids.js';
import { SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { SiteCreated, siteStream } from '../../../../events/site/site.events.js';
import { SlugHeld, slugStream } from '../../../../events/slug.events.js';
import { StoreUnavailableError } from '../../../../kernel/event-store.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { MemorySnapshots } from '../../../../storage/store/memory/memory.snapshots.js';
import { createTable } from '../../../../storage/tables/table.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SecretsSweeper } from './secrets-sweeper.js';
import { SiteSecrets } from './site-secrets.js';

const siteId = 'site_1';
const slug = 'amber-otter';
const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code });

describe('A site’s secrets in the vault and the log', () => {
  const masterKey = randomBytes(32);
  let pool: Pool;
  let drop: () => Promise<void>;
  let store: MemoryStore;
  beforeAll(async () => {
    // Don't log messages about success, as in the service.
    Logger.overrideLogger(['fatal', 'error', 'warn']);
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(async () => {
    await pool.query('drop table if exists vault, root_key, audit_keys');
    store = new MemoryStore();
    await store.write(slugStream(slug), SlugHeld({ siteId }));
    await store.write(
      siteStream(siteId),
      SiteCreated({ slug, editTokenHash: null }),
      SiteClaimed({ memberId: 'mem_1', userId: 'usr_bob' }),
    );
  });

  /** Starts the service with this master key, as a separate process would. */
  async function service(key = masterKey) {
    await openRootKey(pool, key);
    const vault = new Vault(pool, key);
    await createTable(pool, vaultTable);
    const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    const commands = await commandBus(transactions);
    const directory = new SiteDirectory(commands, transactions, store);
    const secrets = new SiteSecrets(vault, commands, directory);
    const passwords = new SitePasswords(pool, key);
    await createTable(pool, sitePasswordsTable);
    return { vault, secrets, sweeping: new SecretsSweeper(vault, passwords, store, directory) };
  }
  const kept = async () =>
    (await pool.query('select name, version from vault order by name, version')).rows.map(
      ({ name, version }) => `${name} ${version}`,
    );
  const age = () => pool.query("update vault set kept_at = kept_at - interval '61 minutes'");
  const told = async () =>
    (await store.read(siteStream(siteId))).events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).slice(2);

  it('a site’s builds get its secrets as environment variables, including changes made by other processes', async () => {
    const [one, two] = [await service(), await service()];
    expect(await one.secrets.environment(siteId)).toEqual(new Map());
    await one.secrets.set(slug, 'A', 'one', by(bob));
    await two.secrets.set(slug, 'A', 'zwei\nü', by(bob));
    await one.secrets.set(slug, 'B', '', by(bob));
    expect(await one.secrets.environment(siteId)).toEqual(new Map(Object.entries({ A: 'zwei\nü', B: '' })));
    await two.secrets.delete(slug, 'B', by(bob));
    expect(await one.secrets.environment(siteId)).toEqual(new Map([['A', 'zwei\nü']]));
    expect(await kept()).toEqual(['A 2']);
  });

  it('reading a secret always returns a value, even while another process is changing it', async () => {
    const [one, two] = [await service(), await service()];
    await one.secrets.set(slug, 'A', 'value', by(bob));
    const writing = (async () => {
      for (let n = 0; n < 30; n++) await one.secrets.set(slug, 'A', `value ${n}`, by(bob));
    })();
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < 60; n++) seen.push((await two.secrets.environment(siteId)).get('A'));
    await writing;
    expect(seen.every((value) => value?.startsWith('value'))).toBe(true);
  });

  it('secrets are not used if the process exited before recording them, and are removed later', async () => {
    const { vault, secrets, sweeping } = await service();
    await secrets.set(slug, 'A', 'in force', by(bob));
    await vault.keep({ siteId, name: 'A', value: 'never told of', at: '2026-11-21T12:00:00.000Z' }, 1);
    await vault.keep({ siteId, name: 'B', value: 'never told of', at: '2026-11-21T12:00:00.000Z' }, 0);
    expect(await secrets.environment(siteId)).toEqual(new Map([['A', 'in force']]));
    expect((await secrets.list(slug, by(bob))).map(({ name, version }) => [name, version])).toEqual([['A', 1]]);
    expect(await sweeping.sweep(new AbortController().signal)).toBe(0);
    await age();
    expect(await sweeping.sweep(new AbortController().signal)).toBe(2);
    expect(await kept()).toEqual(['A 1']);
    expect((await secrets.set(slug, 'A', 'next', by(bob))).version).toBe(2);
  });

  it('secrets are used if they were recorded but the response was lost, and replaced values are removed', async () => {
    const { secrets, sweeping } = await service();
    await secrets.set(slug, 'A', 'before', by(bob));
    store.afterAppend = () => {
      throw new StoreUnavailableError('lost');
    };
    await expect(secrets.set(slug, 'A', 'after', by(bob))).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(secrets.delete(slug, 'A', by(bob))).rejects.toBeInstanceOf(StoreUnavailableError);
    store.afterAppend = () => undefined;
    expect(await told()).toEqual([
      'SecretSet {"name":"A","version":1}',
      'SecretSet {"name":"A","version":2}',
      'SecretDeleted {"name":"A","version":2}',
    ]);
    expect(await secrets.environment(siteId)).toEqual(new Map());
    expect(await kept()).toEqual(['A 1', 'A 2']);
    expect(await sweeping.sweep(new AbortController().signal)).toBe(2);
    expect(await kept()).toEqual([]);
  });

  it('a secret is restored to the vault if a sweep removed it before it was recorded', async () => {
    const { secrets, sweeping } = await service();
    store.beforeAppend = async () => {
      store.beforeAppend = async () => undefined;
      await age();
      expect(await sweeping.sweep(new AbortController().signal)).toBe(1);
    };
    await secrets.set(slug, 'A', 'value', by(bob));
    expect(await secrets.environment(siteId)).toEqual(new Map([['A', 'value']]));
  });

  it.each([
    ['set again', (secrets: SiteSecrets) => secrets.set(slug, 'A', 'second', by(bob)), ['A 2']],
    ['deleted', (secrets: SiteSecrets) => secrets.delete(slug, 'A', by(bob)), []],
  ])(
    'no earlier value of a secret is left behind when the secret is %s while another change is being completed',
    async (_, meanwhile, left) => {
      const { vault, secrets } = await service();
      const settle = vault.settle.bind(vault);
      vault.settle = async (secret, version) => {
        vault.settle = settle;
        await meanwhile(secrets);
        await settle(secret, version);
      };
      await secrets.set(slug, 'A', 'first', by(bob));
      expect(await kept()).toEqual(left);
    },
  );

  it('a refused secret leaves nothing in the vault', async () => {
    const { secrets } = await service();
    store.beforeAppend = async () => {
      store.beforeAppend = async () => undefined;
      await store.write(siteStream(siteId), SiteDeleted({}));
    };
    await expect(secrets.set(slug, 'A', 'value', by(bob))).rejects.toEqual(refused('site_not_found'));
    expect(await kept()).toEqual([]);
  });

  it('secrets are removed with their site, immediately or when the next process starts', async () => {
    const { vault, secrets, sweeping } = await service();
    await vault.keep({ siteId, name: 'LEFT', value: 'x', at: '2026-11-21T12:00:00.000Z' }, 0);
    await age();
    await secrets.set(slug, 'A', 'value', by(bob));
    const stopping = new AbortController();
    sweeping.start(stopping.signal);
    const left = async (wanted: number): Promise<void> => ((await kept()).length === wanted ? undefined : left(wanted));
    await left(1);
    await store.write(siteStream(siteId), SiteDeleted({}));
    await left(0);
    stopping.abort();
    await sweeping.stopped();

    const next = await service();
    await next.vault.keep({ siteId, name: 'A', value: 'x', at: '2026-11-21T12:00:00.000Z' }, 0);
    expect(await next.secrets.environment(siteId)).toEqual(new Map());
    expect(await next.sweeping.sweep(new AbortController().signal)).toBe(1);
  });

  it('a secret can’t be read after being copied to another site, name or version', async () => {
    const { vault, secrets } = await service();
    await secrets.set(slug, 'A', 'value', by(bob));
    await pool.query(
      `insert into vault select 'site_2', name, version, key_id, sealed, set_at, kept_at from vault;
       insert into vault select site_id, 'B', version, key_id, sealed, set_at, kept_at from vault where site_id = $$site_1$$;
       insert into vault select site_id, name, 2, key_id, sealed, set_at, kept_at from vault where site_id = $$site_1$$ and name = 'A'`,
    );
    expect(await vault.values('site_1', new Map([['A', 1]]))).toEqual(new Map([['A', 'value']]));
    await expect(vault.values('site_2', new Map([['A', 1]]))).rejects.toThrow();
    await expect(vault.values('site_1', new Map([['B', 1]]))).rejects.toThrow();
    await expect(vault.values('site_1', new Map([['A', 2]]))).rejects.toThrow();
  });

  describe('Secrets after a change of the master key', () => {
    const next = randomBytes(32);

    it('all secrets are sealed again when the master key changes, and can be read with the new key', async () => {
      const before = await service();
      const values = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`N_${n}`, `value ${n}`]));
      for (const [name, value] of Object.entries(values))
        await before.vault.keep(
          { siteId: `site_${Number(name.slice(2)) % 7}`, name, value, at: '2026-11-21T12:00:00.000Z' },
          0,
        );
      const root = await openRootKey(pool, masterKey);
      expect(await changeMasterKey(pool, { from: masterKey, to: next })).toEqual({
        isNew: true,
        secrets: 450,
        auditKeys: 1,
        unreadable: 0,
      });
      expect(await openRootKey(pool, next)).toEqual(root);
      await expect(openRootKey(pool, masterKey)).rejects.toMatchObject({ name: 'MasterKeyMismatchError' });
      const after = await service(next);
      expect(await after.vault.values('site_3', new Map([['N_3', 1]]))).toEqual(new Map([['N_3', 'value 3']]));
      expect((await pool.query('select distinct key_id from vault')).rowCount).toBe(1);
    });

    it('changing the master key requires the current key, and seals each secret only once', async () => {
      const { secrets } = await service();
      await secrets.set(slug, 'A', 'value', by(bob));
      const strangers = { from: randomBytes(32), to: randomBytes(32) };
      await expect(changeMasterKey(pool, strangers)).rejects.toMatchObject({ name: 'MasterKeyMismatchError' });
      await changeMasterKey(pool, { from: masterKey, to: next });
      expect(await changeMasterKey(pool, { from: masterKey, to: next })).toMatchObject({ isNew: false });
      expect(await (await service(next)).secrets.environment(siteId)).toEqual(new Map([['A', 'value']]));
    });

    it('a process that still has the old master key can neither read nor store secrets', async () => {
      const old = await service();
      await old.secrets.set(slug, 'A', 'value', by(bob));
      await changeMasterKey(pool, { from: masterKey, to: next });
      await expect(old.secrets.set(slug, 'A', 'late', by(bob))).rejects.toEqual(refused('unavailable'));
      await expect(old.secrets.environment(siteId)).rejects.toEqual(refused('unavailable'));
      expect(await (await service(next)).secrets.environment(siteId)).toEqual(new Map([['A', 'value']]));
    });

    it('changing the master key reports vault rows that the service did not write', async () => {
      const { secrets } = await service();
      await secrets.set(slug, 'A', 'value', by(bob));
      await pool.query("insert into vault values ('site_9', 'A', 1, 'junk', 'junk', now())");
      await pool.query("insert into audit_keys values ('junk', 'junk')");
      expect(await changeMasterKey(pool, { from: masterKey, to: next })).toMatchObject({ secrets: 1, unreadable: 1 });
    });
  });
});
