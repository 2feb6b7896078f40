import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/cli/stele-command.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

describe('stele import', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let machine: CommandLine;

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-import');
    stele = await sharedStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    machine = await CommandLine.create(stele.base);
  });
  afterEach(() => machine?.remove());

  const read = (path: string) => readFile(join(machine.project, path), 'utf8');

  it('shows which settings it can and cannot import, and changes nothing', async () => {
    await machine.write('firebase.json', '{"hosting":{"public":"dist"},"firestore":{}}');
    await machine.write('CNAME', 'www.example.org\n');
    const { code, out, err } = await machine.run(['import']);
    expect([code, out]).toEqual([
      0,
      [
        'firebase.json',
        '  + public dist  →  folder in stele.json',
        '  - firestore: Stele only hosts sites',
        'CNAME',
        '  + www.example.org  →  stele domains add www.example.org',
        '',
      ].join('\n'),
    ]);
    expect(err).toContain('Nothing was written.');
    await expect(read('stele.json')).rejects.toThrow('ENOENT');
  });

  it('writes files that the service accepts without a warning', async () => {
    await machine.write('dist/index.html', 'home');
    await machine.write(
      'netlify.toml',
      [
        '[build]\npublish = "dist"',
        '[[redirects]]\nfrom = "/old/*"\nto = "/new/:splat"',
        '[[redirects]]\nfrom = "/*"\nto = "/index.html"\nstatus = 200',
        '[[headers]]\nfor = "/*"\n[headers.values]\nx-greeting = "hello"',
      ].join('\n'),
    );
    expect(await machine.json(['import', '--write', 'dist'])).toMatchObject({
      exitCode: 0,
      written: ['dist/_redirects', 'dist/_headers', 'stele.json'],
    });
    expect(await read('dist/_redirects')).toBe('/old/* /new/:splat 301\n/* /index.html 200\n');
    const deployed = await machine.json(['deploy']);
    expect(deployed).toMatchObject({ exitCode: 0, warnings: [], files: 3 });
    const slug = String(deployed.slug);
    expect((await stele.visit(slug, '/old/a')).headers.location).toBe('/new/a');
    const { text, headers } = await stele.visit(slug, '/anything');
    expect([text, headers['x-greeting']]).toEqual(['home', 'hello']);
    // Existing files are replaced only after a confirmation.
    expect(await machine.json(['import', '--write', 'dist'])).toMatchObject({ exitCode: 4, code: 'answer_needed' });
  });

  it('refuses an invalid configuration file, and a folder with nothing to import', async () => {
    expect(await machine.json(['import'])).toMatchObject({ exitCode: 1, code: 'nothing_to_import' });
    expect(await machine.json(['import', 'missing'])).toMatchObject({
      exitCode: 2,
      detail: 'There is no folder “missing”. Name the folder of the project.',
    });
    await machine.write('vercel.json', '{');
    const printed = await machine.json(['import']);
    expect(printed).toMatchObject({ exitCode: 1, code: 'import_invalid' });
    expect(printed.detail).toBe('vercel.json is not valid JSON (line 1, column 2).');
  });
});
