import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../../../events/repo-source.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { dependencyKey, type InstalledBy } from './dependency-key.js';

const plan: Plan = {
  kind: 'static_build',
  framework: null,
  packageManager: 'npm',
  nodeVersion: null,
  installCommand: 'npm ci',
  buildCommand: 'npm run build',
  outputDirectory: 'dist',
  rootDirectory: '.',
};

const file = (path: string, more: Partial<RepoEntry> = {}): RepoEntry => ({
  ...{ path, kind: 'file', oid: '1'.repeat(40), size: 1, isExecutable: false },
  ...more,
});

const by: InstalledBy = {
  siteId: 'site_1',
  endedRights: 0,
  isTrusted: false,
  secrets: new Map(),
  engine: 'bubblewrap',
  tools: [],
};
const files = [file('package.json'), file('package-lock.json'), file('src/index.ts')];
const keyOf = (of: Partial<InstalledBy> = {}, entries = files, planned: Partial<Plan> = {}) =>
  dependencyKey({ ...by, ...of }, entries, { ...plan, ...planned })?.key;

describe('dependencyKey', () => {
  it.each<[string, string | undefined]>([
    ['another site', keyOf({ siteId: 'site_2' })],
    ['a trusted build', keyOf({ isTrusted: true })],
    ['a site where a right has ended', keyOf({ endedRights: 1 })],
    ['a secret', keyOf({ secrets: new Map([['NPM_CONFIG_REGISTRY', 'https://npm.example.org']]) })],
    ['another sandbox', keyOf({ engine: 'container' })],
    ['another package manager', keyOf({ tools: [{ name: 'npm', version: '12.2.0' }] })],
    ['another command', keyOf({}, files, { installCommand: 'npm install' })],
    ['another folder', keyOf({}, files, { rootDirectory: 'site' })],
    ['another manifest', keyOf({}, [file('package.json', { oid: '2'.repeat(40) }), ...files.slice(1)])],
    ['a link as manifest', keyOf({}, [file('package.json', { kind: 'link' }), ...files.slice(1)])],
    ['settings of a package manager', keyOf({}, [...files, file('.npmrc')])],
    ['an archive', keyOf({}, [...files, file('vendor/a.tgz')])],
  ])('the key of stored dependencies changes with %s', (_, key) => {
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(key).not.toBe(keyOf());
  });

  it('the dependency key and the installation ignore unrelated files of the commit', () => {
    const more = [...files, file('evil.js'), file('tools/yarn.cjs'), file('vendor/evil.tar')];
    expect(dependencyKey(by, more, plan)).toEqual({ key: keyOf(), entries: files.slice(0, 2) });
  });

  it('returns no key without a lock file', () => expect(keyOf({}, [file('package.json')])).toBeUndefined());
});
