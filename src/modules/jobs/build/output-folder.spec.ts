import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../../../events/repo-source.js';
import { type OutputFile, Sandbox } from '../../../kernel/ports/outside/builder.js';
import { outputFolder } from './output-folder.js';

const BEGUN = 1_000_000;
const AFTER = BEGUN + 5_000;
const BEFORE = BEGUN - 60_000;

/** A sandbox that contains these files as the output of a build, given by path and modification time. */
class Left extends Sandbox {
  constructor(private readonly left: Readonly<Record<string, number>>) {
    super();
  }

  override async files(folder: string): Promise<OutputFile[] | null> {
    const prefix = folder === '.' ? '' : `${folder}/`;
    const files = Object.entries(this.left).flatMap(([path, modifiedMs]): OutputFile[] =>
      path.startsWith(prefix) ? [{ path: path.slice(prefix.length), kind: 'file', size: 1, modifiedMs }] : [],
    );
    return files.length > 0 ? files : null;
  }

  override write = async () => [];
  override run = async () => ({ exitCode: 0, exceeded: null });
  override restoreDependencies = async () => null;
  override canKeepDependencies = async () => false;
  override keepDependencies = async () => undefined;
  override content = () => [] as never;
  override archive = () => [] as never;
  override close = async () => undefined;
}

const found = (left: Record<string, number>, plan: Partial<Plan> = {}) =>
  outputFolder(new Left(left), { rootDirectory: '.', outputDirectory: null, ...plan } as Plan, BEGUN);

describe('outputFolder', () => {
  it('returns the output folder that the plan names', async () =>
    expect(await found({ 'dist/index.html': AFTER, 'www/index.html': AFTER }, { outputDirectory: 'www' })).toBe('www'));

  it('returns an output folder with a common name if the one in the plan has no page', async () =>
    expect(await found({ 'www/a.js': AFTER, 'dist/client/index.html': AFTER }, { outputDirectory: 'www' })).toBe(
      'dist/client',
    ));

  it('does not return a folder of the repository that the build left unchanged', async () =>
    expect(await found({ 'public/index.html': BEFORE, 'build/index.html': AFTER })).toBe('build'));

  it('returns an existing repository folder if the build added files to it', async () =>
    expect(await found({ 'public/index.html': BEFORE, 'public/bundle.js': AFTER })).toBe('public'));

  it('returns the only folder with a new page, whatever its name', async () => {
    const left = { 'theoutput/index.html': AFTER, 'theoutput/about/index.html': AFTER, 'src/index.html': BEFORE };
    const beside = { 'node_modules/a/index.html': AFTER, '.cache/index.html': AFTER };
    expect(await found({ ...left, ...beside })).toBe('theoutput');
    expect(await found({ 'apps/a/made/index.html': AFTER }, { rootDirectory: 'apps/a' })).toBe('apps/a/made');
  });

  it('fails if several folders with uncommon names have new pages', () =>
    expect(found({ 'en/index.html': AFTER, 'de/index.html': AFTER })).rejects.toThrow('several folders: de, en'));

  it('never chooses the root folder automatically, because that would publish the source', async () => {
    const left = { 'index.html': BEFORE, 'app.js': BEFORE, 'app.min.js': AFTER };
    await expect(found({ 'index.html': AFTER })).rejects.toThrow('no index.html');
    await expect(found(left)).rejects.toThrow(/root directory has an index\.html.*plan\.outputDirectory to “\.”/);
    expect(await found(left, { outputDirectory: '.' })).toBe('.');
  });
});
