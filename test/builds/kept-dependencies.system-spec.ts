// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { BuildingService } from '../support/sites/building-service.js';
import type { Tree } from '../support/sites/git-host.js';
import { publicKeys, verified } from '../support/sites/provenance.js';
import { locked } from './locked-projects.js';

const RESTORED = 'Restored the packages from an earlier build with the same lock file.';
const CLEAN = '$ npm ci --ignore-scripts';
const MINUTES = 3 * 60_000;

describe('Dependencies of an earlier build', () => {
  let service: BuildingService;
  beforeAll(async () => {
    service = await BuildingService.start();
  }, 120_000);
  afterAll(() => service?.stop());

  const page = (script: string) => `const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
const show = (value) => fs.writeFileSync('dist/index.html', JSON.stringify(value));
${script}`;
  const project = (script: string): Tree => ({ ...locked.npm(), 'make.cjs': page(script) });

  const dependenciesOf = async (slug: string, deployId = '', headers: Record<string, string>) => {
    const { stele } = service;
    const { text } = await stele.api.get(`/v1/sites/${slug}/deploys/${deployId}/provenance`).set(headers).expect(200);
    const { buildDefinition } = verified(JSON.parse(text), await publicKeys(stele)).predicate;
    return buildDefinition.resolvedDependencies.find(({ name }) => name === 'dependencies');
  };

  it(
    'dependencies are restored only for the same site and lock file, and not after someone loses rights to the site',
    async () => {
      const { stele } = service;
      const tree = project(`show([require('ms')('1s'), fs.readdirSync('node_modules')]);`);
      const first = await service.build('kept', tree);
      expect({ job: first.job, lines: first.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(first.lines).toContain(CLEAN);
      const { slug, editToken } = first;
      const token = { 'x-svc-edit-token': editToken };
      expect(await dependenciesOf(slug, first.job.deployId, token)).toBeUndefined();

      const next = await service.build('kept', tree, { slug, editToken });
      expect({ job: next.job, lines: next.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(next.lines).toContain(RESTORED);
      expect(next.lines).not.toContain(CLEAN);
      expect(JSON.parse((await next.site().expect(200)).text)).toEqual([1000, ['.package-lock.json', 'ms']]);
      expect(await dependenciesOf(slug, next.job.deployId, token)).toEqual({
        name: 'dependencies',
        uri: `http://localhost:${stele.port}/v1/jobs/${first.job.id}`,
      });

      const other = await service.build('kept', tree);
      expect(other.lines).toContain(CLEAN);
      expect(other.lines).not.toContain(RESTORED);

      const ann = await signIn(stele, 'ann@kept.example.org');
      await stele.api.post('/v1/claim/session').set(ann.bearer).send({ slug, editToken }).expect(200);
      const claimed = await service.build('kept', tree, { slug, bearer: ann.bearer });
      expect({ job: claimed.job, lines: claimed.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(claimed.lines).not.toContain(RESTORED);

      const bob = await signIn(stele, 'bob@kept.example.org');
      const invite = { email: bob.user.email, role: 'editor' };
      await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send(invite).expect(201);
      await stele.api.get((await newestMail(stele, bob.user.email)).path).expect(200);
      const { body } = await stele.api.get(`/v1/sites/${slug}/members`).set(ann.bearer).expect(200);
      const members: readonly { readonly id: string; readonly role: string }[] = body.items;
      const { id } = members.find(({ role }) => role === 'editor') ?? {};
      await stele.api.delete(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).expect(204);
      const afterBob = await service.build('kept', tree, { slug, bearer: ann.bearer });
      expect({ job: afterBob.job, lines: afterBob.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(afterBob.lines).not.toContain(RESTORED);
    },
    2 * MINUTES,
  );

  it(
    'dependencies are never restored from an untrusted build into a trusted one, or vice versa',
    async () => {
      const { stele } = service;
      const tree = project(`show(require('ms')('1s'));`);
      const zoe = await signIn(stele, 'zoe@kept.example.org');
      const page = stele.api.post('/v1/deploy').set(zoe.bearer).type('html').send('<h1>Hi</h1>');
      const { slug } = (await page.expect(200)).body;
      const issued = stele.api.post(`/v1/sites/${slug}/tokens`).set(zoe.bearer).send({ name: 'ci', role: 'editor' });
      const token = { authorization: `Bearer ${(await issued.expect(201)).body.token}` };

      const jobs: string[] = [];
      for (const [bearer, source] of [
        [token, null],
        [zoe.bearer, null],
        [token, 0],
        [zoe.bearer, 1],
      ] as const) {
        const { job, lines } = await service.build('apart', tree, { slug, bearer });
        expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
        expect(lines.includes(RESTORED)).toBe(source !== null);
        const uri = source === null ? undefined : `http://localhost:${stele.port}/v1/jobs/${jobs[source]}`;
        expect((await dependenciesOf(slug, job.deployId, zoe.bearer))?.uri).toBe(uri);
        jobs.push(job.id);
      }
    },
    MINUTES,
  );
});
