import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { copyMachine } from './machine.js';

// Copying Node and npm several times is slow on a busy disk.
jest.setTimeout(120_000);

describe('copyMachine', () => {
  let folder: string;
  let inside: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-machine-'));
    inside = join(folder, 'inside.js');
    await writeFile(inside, 'first');
    await writeFile(join(folder, 'trusted.pem'), 'certificates');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const copy = (env: NodeJS.ProcessEnv = {}) => copyMachine(folder, inside, env);
  const made = async () => (await stat(join(folder, 'machine'))).ino;

  it('tools are copied once, and the next process reuses the copies', async () => {
    const first = await copy({ npm_config_registry: 'https://registry.example' });
    const copied = await made();
    expect(await copy()).toEqual({ ...first, registry: null });
    expect(await made()).toBe(copied);
    expect(first?.tools.map(({ name }) => name)).toEqual(['node', 'npm']);
  });

  it('tools are copied again after one of them has changed', async () => {
    await copy();
    await writeFile(inside, 'second');
    await copy();
    expect(await readFile(join(folder, 'machine/inside.mjs'), 'utf8')).toBe('second');
    expect(await copy({ NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem') })).toMatchObject({ hasCertificates: true });
    expect(await readFile(join(folder, 'machine/certificates.pem'), 'utf8')).toBe('certificates');
  });

  it('if two processes start at the same time, one complete copy of the tools remains', async () => {
    await Promise.all([copy(), copy()]);
    expect(await readdir(join(folder, 'machine'))).toEqual(['bin', 'inside.mjs', 'made.json', 'npm']);
    expect((await readdir(folder)).sort()).toEqual(['inside.js', 'machine', 'trusted.pem']);
  });

  it('the operator’s Hugo is copied, and a file that is not executable is rejected', async () => {
    const hugo = join(folder, 'inside.js');
    await expect(copy({ STELE_HUGO: hugo })).rejects.toThrow(`STELE_HUGO is ${hugo}, which is not an executable file.`);
    await chmod(hugo, 0o755);
    await copy({ STELE_HUGO: hugo });
    expect(await readFile(join(folder, 'machine/bin/hugo'), 'utf8')).toBe('first');
    await copy();
    expect(await readdir(join(folder, 'machine/bin'))).not.toContain('hugo');
  });
});
