import { describe, expect, it } from '@jest/globals';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { type MadeDeploy, provenanceStatement } from './statement.js';

const plan = {
  kind: 'static_build' as const,
  framework: 'vite',
  packageManager: 'pnpm@10.34.8',
  nodeVersion: '24',
  installCommand: 'pnpm install --frozen-lockfile',
  buildCommand: 'pnpm run build',
  outputDirectory: 'dist',
  rootDirectory: 'apps/web',
};

const made: MadeDeploy = {
  jobId: 'job_1',
  deployId: 'dep_1',
  manifest: 'a'.repeat(64),
  source: { url: 'https://example.org/a', ref: null, rootDirectory: 'apps/web', plan: { outputDirectory: 'dist' } },
  materials: {
    url: 'https://example.org/moved.git',
    ref: 'main',
    commit: '1'.repeat(40),
    plan,
    engine: 'bubblewrap',
    lockFile: { path: 'pnpm-lock.yaml', sha256: 'b'.repeat(64) },
    tools: [
      { name: 'pnpm', uri: 'pkg:npm/pnpm@10.34.8', digest: { sha512: 'c'.repeat(128) } },
      { name: 'npm', uri: 'pkg:npm/npm@11.4.2', digest: null },
    ],
    dependenciesFrom: 'job_0',
  },
  startedOn: '2026-11-20T12:00:00.000Z',
  finishedOn: '2026-11-20T12:01:00.000Z',
};

const by = { baseUrl: 'https://stele.example', version: '1.2.3' };

describe('provenanceStatement', () => {
  it('separates the requested parts of the plan from the detected parts', () =>
    expect(provenanceStatement(made, by).predicate).toEqual({
      buildDefinition: {
        buildType: 'urn:stele:repository-deploy:v1',
        externalParameters: {
          repository: 'https://example.org/a',
          ref: null,
          rootDirectory: 'apps/web',
          plan: { outputDirectory: 'dist' },
        },
        internalParameters: { plan },
        resolvedDependencies: [
          { uri: 'git+https://example.org/moved.git@main', digest: { gitCommit: '1'.repeat(40) } },
          { name: 'pnpm-lock.yaml', digest: { sha256: 'b'.repeat(64) } },
          { name: 'dependencies', uri: 'https://stele.example/v1/jobs/job_0' },
          { name: 'pnpm', uri: 'pkg:npm/pnpm@10.34.8', digest: { sha512: 'c'.repeat(128) } },
          { name: 'npm', uri: 'pkg:npm/npm@11.4.2' },
        ],
      },
      runDetails: {
        builder: { id: 'https://stele.example/#builder=bubblewrap', version: { stele: '1.2.3' } },
        metadata: { invocationId: 'job_1', startedOn: made.startedOn, finishedOn: made.finishedOn },
      },
    }));

  it.each([
    ['feature/a#b', 'feature/a%23b'],
    ['100%', '100%25'],
    ['ä\ud800', '%C3%A4%EF%BF%BD'],
  ])('contains a valid commit URI for any branch name: %j', (ref, encoded) => {
    const statement = provenanceStatement({ ...made, materials: { ...made.materials, ref } }, by);
    const uri = statement.predicate.buildDefinition.resolvedDependencies[0]?.uri ?? '';
    expect(uri).toBe(`git+https://example.org/moved.git@${encoded}`);
    expect(URL.canParse(uri)).toBe(true);
    expect(() => canonical(statement)).not.toThrow();
  });
});
