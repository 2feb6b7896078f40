import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CredentialsFile } from './credentials-file.js';

const A = 'https://a.example';
let folder: string;
let file: CredentialsFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-credentials-'));
  file = new CredentialsFile(join(folder, 'stele'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('CredentialsFile', () => {
  it('the credentials file is empty before anything is stored', async () => {
    expect(await file.read()).toEqual({ version: 1, instances: {} });
  });

  it('the credentials file is readable only by its owner, even if others could read it before', async () => {
    await file.keepEditToken(A, 'page', 'stele_edit_a');
    await chmod(file.path, 0o644);
    await file.keepEditToken(A, 'other', 'stele_edit_b');
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'stele'))).mode & 0o777).toBe(0o700);
  });

  it('stores the edit tokens of all commands that run at the same time', async () => {
    const slugs = Array.from({ length: 20 }, (_, n) => `site-${n}`);
    await Promise.all(
      slugs.map((slug) => new CredentialsFile(join(folder, 'stele')).keepEditToken(A, slug, `token ${slug}`)),
    );
    expect(Object.keys((await file.read()).instances[A]?.editTokens ?? {}).sort()).toEqual(slugs.sort());
    expect(await readdir(join(folder, 'stele'))).toEqual(['credentials.json']);
  });

  it('deletes one edit token and nothing else', async () => {
    await file.update(A, () => ({ token: 'stele_session_a', editTokens: { a: '1', b: '2' } }));
    await file.forgetEditToken(A, 'a');
    expect((await file.read()).instances[A]).toEqual({ token: 'stele_session_a', editTokens: { b: '2' } });
  });

  it('takes over the lock of a command that was killed', async () => {
    await mkdir(join(folder, 'stele', 'credentials.json.lock'), { recursive: true });
    await utimes(join(folder, 'stele', 'credentials.json.lock'), new Date(0), new Date(0));
    await file.use(A);
    expect((await file.read()).current).toBe(A);
  });

  it('never replaces a file that it cannot read', async () => {
    await mkdir(join(folder, 'stele'));
    await writeFile(file.path, '{"version":1,"inst');
    await expect(file.use(A)).rejects.toThrow('cannot be read');
    expect(await readFile(file.path, 'utf8')).toBe('{"version":1,"inst');
  });
});
