import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPrivateKeys } from './private-keys.js';

describe('findPrivateKeys', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function find(name: string, content: string, size = content.length): Promise<number> {
    const location = join(folder, name);
    await writeFile(location, content);
    return (await findPrivateKeys([{ path: `below/${name}`, location, size }])).length;
  }

  it.each([
    ['server.key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['chain.PEM', 'certificate\n-----BEGIN ENCRYPTED PRIVATE KEY-----'],
    ['deploy_key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
    ['secret.asc', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
    ['service-account.json', '{"private_key":"-----BEGIN PRIVATE KEY-----\\nMII'],
  ])('finds the private key in %s', async (name, content) => {
    expect(await find(name, content)).toBe(1);
  });

  it.each([
    ['server.pem', '-----BEGIN CERTIFICATE-----'],
    ['keyboard.html', 'A key begins with -----BEGIN'],
  ])('does not warn about %s, which contains no private key', async (name, content) => {
    expect(await find(name, content)).toBe(0);
  });

  it('does not read files with other names, and large files', async () => {
    const key = '-----BEGIN PRIVATE KEY-----';
    expect(await find('index.html', key)).toBe(0);
    expect(await find('large.pem', key, 200_000)).toBe(0);
  });

  it('ignores a file that no longer exists', async () => {
    expect(await findPrivateKeys([{ path: 'a.key', location: join(folder, 'missing'), size: 1 }])).toEqual([]);
  });
});
