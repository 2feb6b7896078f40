import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { AuditKeyStore, MasterKeyMismatchError, type Signed, thumbprint } from './audit-keys.js';

const holds = (text: string, { signature, key: { kty, crv, x } }: Signed) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );

describe('Audit keys', () => {
  const masterKey = randomBytes(32);
  let pool: Pool;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(() => pool.query('drop table if exists audit_keys'));

  const started = async (key = masterKey) => {
    const keys = new AuditKeyStore(pool, key);
    await keys.ensureKey();
    return keys;
  };

  it("a key's ID is its thumbprint (RFC 8037, appendix A.3)", () =>
    expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ));

  it('all processes have the same key, even if many start simultaneously', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => started()));
    const published = await Promise.all(all.map((keys) => keys.published()));
    expect(published).toEqual(Array.from({ length: 6 }, () => [expect.objectContaining({ retiredAt: null })]));
    expect(new Set(published.map(([key]) => key?.kid)).size).toBe(1);
    for (const keys of all) expect(holds('said', await keys.sign('said'))).toBe(true);
  });

  it('a copy of the database without the master key is not enough to sign', async () => {
    const keys = await started();
    const [key] = await keys.published();
    const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from audit_keys');
    expect(rows[0]?.sealed.toString('latin1')).not.toContain(key?.x);
    await expect(started(randomBytes(32))).rejects.toBeInstanceOf(MasterKeyMismatchError);
  });

  it('a rotation keeps only the public part of the old key, and all processes sign with the new key', async () => {
    const [one, two] = [await started(), await started()];
    const before = await two.sign('said');
    const next = await one.rotate();
    expect(await two.published()).toEqual([next, { ...before.key, retiredAt: next.madeAt }]);
    const after = await two.sign('said');
    expect(after.key).toEqual(next);
    expect([holds('said', before), holds('said', after)]).toEqual([true, true]);
    await pool.query('delete from audit_keys where key_id = $1', [next.kid]);
    await expect(two.sign('said')).rejects.toThrow(/is missing from the database/);
  });

  it('rows that were inserted without the master key are ignored', async () => {
    const keys = await started();
    const before = await keys.published();
    await pool.query("insert into audit_keys select 'copied', sealed from audit_keys");
    await pool.query('insert into audit_keys values ($1, $2), ($3, $4)', [
      'junk',
      Buffer.alloc(3),
      'zeros',
      Buffer.alloc(99),
    ]);
    expect(await keys.published()).toEqual(before);
    expect((await keys.sign('said')).key).toEqual(before[0]);
  });
});
