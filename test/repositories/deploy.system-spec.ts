// needs: database, git

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DsseEnvelope } from '../../src/modules/jobs/provenance/dsse.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';
import { filesNamed, publicKeys, verified, withOneBitChanged } from '../support/sites/provenance.js';

jest.setTimeout(120_000);

describe('Deploying a public repository', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('repos');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_REPO_HOSTS: host.listed, STELE_ANONYMOUS_MAX_FILES: '12' },
    });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const check = (body: object) => stele.api.post('/v1/repo/check').send(body);
  const deploy = (body: object) => stele.api.post('/v1/repo/deploy').send(body);

  it('a repository of static files can be checked, deployed and visited, and its job can be followed', async () => {
    const commit = host.commit('site', {
      'index.html': '<h1>From a repository</h1>',
      'css/a.css': 'b{}',
      '.env': 'SECRET=1',
    });
    const { body: checked } = await check({ url: host.url('site') }).expect(200);
    expect(checked).toMatchObject({
      repo: { url: host.url('site'), ref: 'main', commit },
      plan: { kind: 'static', outputDirectory: '.', rootDirectory: '.' },
      evidence: [{ file: 'index.html', why: expect.any(String) }],
      warnings: [],
    });

    const { body: started } = await deploy({ url: host.url('site'), slug: 'from-git' }).expect(200);
    expect(started).toEqual({
      jobId: expect.stringMatching(/^job_/),
      status: 'queued',
      slug: 'from-git',
      eventsUrl: expect.stringContaining(`/v1/jobs/${started.jobId}/events`),
      editToken: expect.stringMatching(/^stele_edit_/),
      claimUrl: expect.stringContaining('/claim/from-git#token='),
    });
    const job = await jobOver(stele, started.jobId);
    expect(job).toMatchObject({
      status: 'succeeded',
      commit,
      plan: { kind: 'static' },
      steps: ['clone', 'detect', 'publish'].map((name) => ({ name, status: 'succeeded' })),
      url: expect.stringContaining('from-git'),
    });
    expect((await stele.visit('from-git').expect(200)).text).toBe('<h1>From a repository</h1>');
    await stele.visit('from-git', '/.env').expect(404);

    const { body: deploys } = await stele.api
      .get('/v1/sites/from-git/deploys')
      .set('x-svc-edit-token', started.editToken)
      .expect(200);
    expect(deploys.items).toMatchObject([
      { deployId: job.deployId, source: 'repo', jobId: started.jobId, commit, files: 2, actor: { kind: 'anonymous' } },
    ]);
    const followed = await fetch(`${stele.base}/v1/jobs/${started.jobId}/events`);
    const text = await followed.text();
    const frames = [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.*)$/gm)];
    expect(frames.map(([, id]) => Number(id))).toEqual(frames.map((_, index) => index + 1));
    expect(new Set(frames.map(([, , event]) => event))).toEqual(
      new Set(['job.queued', 'job.started', 'job.step', 'job.log', 'job.succeeded']),
    );
    expect(JSON.parse(frames.at(-1)?.[3] ?? '')).toMatchObject({ deployId: job.deployId, slug: 'from-git' });
    expect(text).toMatch(/event: end\n/);
    const { body: page } = await stele.api.get(`/v1/jobs/${started.jobId}/events`).set('accept', 'application/json');
    expect(page).toMatchObject({ total: frames.length, ended: true });

    const lines = linesOf(await eventsOf(stele, started.jobId)).map(({ text }) => text);
    expect(lines).toContain('Skipped .env: files of this kind are never published');
  });

  describe('A commit that no branch or tag points to', () => {
    let earlier: string;

    beforeAll(() => {
      earlier = host.commit('history', { 'index.html': 'earlier' });
      host.commit('history', { 'index.html': 'newest' }, 'main', earlier);
    });

    it.each([7, 10])('can be checked and deployed by the first %d digits of its ID', async (digits) => {
      const repo = { url: host.url('history'), ref: earlier.slice(0, digits) };
      const { body: checked } = await check(repo).expect(200);
      expect(checked.repo).toEqual({ url: repo.url, ref: earlier, commit: earlier });

      const { body: started } = await deploy(repo).expect(200);
      expect(await jobOver(stele, started.jobId)).toMatchObject({ status: 'succeeded', commit: earlier });
      expect((await stele.visit(started.slug).expect(200)).text).toBe('earlier');
    });

    it('is not found by digits that no commit of the repository begins with', async () => {
      const ref = earlier.slice(0, 9) + (earlier[9] === '0' ? '1' : '0');
      const { body } = await check({ url: host.url('history'), ref }).expect(422);
      expect(body).toMatchObject({
        code: 'repo_unreachable',
        detail: `The repository has no branch, tag or commit “${ref}”.`,
        errors: [{ path: 'ref' }],
      });
    });
  });

  it('a site that was built for a base path is served at that path, and / redirects to it', async () => {
    host.commit('built-for-a-path', {
      'index.html': '<!doctype html><link rel=stylesheet href="/my-repo/style-DiwrgTda.css"><h1>x</h1>',
      'style-DiwrgTda.css': 'h1{color:red}',
    });
    const { body } = await deploy({ url: host.url('built-for-a-path') }).expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded' });
    const first = await stele.visit(body.slug).expect(302);
    expect(first.headers.location).toMatch(/\/my-repo\/$/);
    expect((await stele.visit(body.slug, '/my-repo/').expect(200)).text).toContain('<h1>x</h1>');
    expect((await stele.visit(body.slug, '/my-repo/style-DiwrgTda.css').expect(200)).text).toBe('h1{color:red}');
    await stele.visit(body.slug, '/my-repo/missing.css').expect(404);

    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    expect(lines).toContainEqual(expect.stringMatching(/built for the path \/my-repo\/\. To serve it at \/, change/));
    expect(lines).toContain(
      'Added _redirects, which serves the site at /my-repo/ and redirects / to it. To prevent this, publish a _redirects file, which can be empty.',
    );
  });

  it('signed-in users can deploy larger repositories than anonymous users', async () => {
    const page = { 'index.html': 'x' };
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.txt`, `${n}`]));
    host.commit('large', { ...page, ...files });
    const { body: anonymous } = await deploy({ url: host.url('large') }).expect(200);
    expect(await jobOver(stele, anonymous.jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_files' },
    });
    const { bearer } = await signIn(stele, 'ann@example.org');
    const { body: signedIn } = await deploy({ url: host.url('large') })
      .set(bearer)
      .expect(200);
    expect(await jobOver(stele, signedIn.jobId, bearer)).toMatchObject({ status: 'succeeded' });
  }, 60_000);

  describe('The provenance of a deploy', () => {
    const tree = { 'index.html': '<h1>Ours</h1>', 'a b/ä.css': 'b{}' };
    let commit: string;
    let token: Record<string, string>;
    let slug: string;
    let jobId: string;
    let deployId: string;

    beforeAll(async () => {
      const inFolder = Object.entries(tree).map(([path, content]) => [`site/${path}`, content]);
      commit = host.commit('stated', Object.fromEntries(inFolder));
      const { body } = await deploy({ url: host.url('stated'), ref: 'main', rootDirectory: 'site' }).expect(200);
      ({ slug, jobId } = body);
      token = { 'x-svc-edit-token': body.editToken };
      const job = await jobOver(stele, jobId);
      expect(job).toMatchObject({ status: 'succeeded', unchanged: false });
      deployId = job.deployId ?? '';
    });

    const at = (what: string, id = deployId) => `/v1/sites/${slug}/deploys/${id}/${what}`;
    const get = (path: string) => stele.api.get(path).set(token);
    async function bytes(path: string): Promise<Buffer> {
      const answer = await fetch(`${stele.base}${path}`, { headers: token });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    }
    const envelope = async (): Promise<DsseEnvelope> => JSON.parse((await bytes(at('provenance'))).toString('utf8'));

    it('the deploy has a signed provenance statement with its source and builder', async () => {
      const statement = verified(await envelope(), await publicKeys(stele));
      const { body: deploys } = await get(`/v1/sites/${slug}/deploys`).expect(200);
      const [{ digest, manifestUrl, provenanceUrl }] = deploys.items;
      const base = `http://localhost:${stele.port}`;
      const plan = { kind: 'static', rootDirectory: 'site', outputDirectory: '.' };
      expect(statement).toEqual({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: deployId, digest: { sha256: digest.slice('sha256:'.length) } }],
        predicateType: 'https://slsa.dev/provenance/v1',
        predicate: {
          buildDefinition: {
            buildType: 'urn:stele:repository-deploy:v1',
            externalParameters: { repository: host.url('stated'), ref: 'main', rootDirectory: 'site', plan: {} },
            internalParameters: { plan: expect.objectContaining(plan) },
            resolvedDependencies: [{ uri: `git+${host.url('stated')}@main`, digest: { gitCommit: commit } }],
          },
          runDetails: {
            builder: { id: `${base}/#builder=none`, version: { stele: expect.stringMatching(/^\d+\.\d+\.\d+/) } },
            metadata: { invocationId: jobId, startedOn: expect.any(String), finishedOn: expect.any(String) },
          },
        },
      });
      const { startedOn, finishedOn } = statement.predicate.runDetails.metadata;
      expect(Date.parse(startedOn)).toBeLessThanOrEqual(Date.parse(finishedOn));
      expect([manifestUrl, provenanceUrl]).toEqual(
        ['manifest', 'provenance'].map((what) => `${base}/v1/sites/${slug}/deploys/${deployId}/${what}`),
      );
    });

    it('the statement refers to the deploy’s manifest, which lists the deploy’s files', async () => {
      const statement = verified(await envelope(), await publicKeys(stele));
      const files = filesNamed(statement, await bytes(at('manifest')));
      expect([...files.keys()]).toEqual(['a b/ä.css', 'index.html']);
      for (const [path, content] of Object.entries(tree)) expect(files.get(path)).toBe(hash('sha256', content));
    });

    it('a change to any byte of the provenance statement is detected', async () => {
      const keys = await publicKeys(stele);
      const right = await envelope();
      const statement = verified(right, keys);
      const [signature] = right.signatures;
      const isTaken = (changed: Partial<DsseEnvelope>) => succeeds(() => verified({ ...right, ...changed }, keys));
      const signed = (sig: string, keyid = signature?.keyid ?? '') => ({ signatures: [{ keyid, sig }] });

      const payloads = [...withOneBitChanged(Buffer.from(right.payload, 'base64'))];
      expect(payloads.filter((payload) => isTaken({ payload: payload.toString('base64') }))).toEqual([]);
      const signatures = [...withOneBitChanged(Buffer.from(signature?.sig ?? '', 'base64'))];
      expect(signatures.filter((sig) => isTaken(signed(sig.toString('base64'))))).toEqual([]);
      expect(isTaken({ payloadType: 'application/json' })).toBe(false);
      expect(isTaken(signed(signature?.sig ?? '', 'another'))).toBe(false);
      const manifests = [...withOneBitChanged(await bytes(at('manifest')))];
      expect(manifests.filter((manifest) => succeeds(() => filesNamed(statement, manifest)))).toEqual([]);
      expect([payloads, signatures, manifests].map(({ length }) => length > 60)).toEqual([true, true, true]);
      expect(isTaken({})).toBe(true);
    });

    it('the manifest and the statement are served with their media types, and their content never changes', async () => {
      const { headers } = await get(at('provenance')).expect(200);
      expect(headers).toMatchObject({
        'content-type': 'application/vnd.dsse.envelope.v1+json',
        'cache-control': 'no-store',
      });
      expect(await bytes(at('provenance'))).toEqual(await bytes(at('provenance')));
      await get(at('manifest')).expect(200).expect('content-type', 'text/plain; charset=utf-8');
    });

    it('a deploy that changes nothing is reported as unchanged, and gets a new provenance statement', async () => {
      const { body } = await stele.api.post(`/v1/sites/${slug}/rerun`).set(token).expect(200);
      const job = await jobOver(stele, body.jobId);
      expect(job).toMatchObject({ status: 'succeeded', unchanged: true });
      const events = await eventsOf(stele, body.jobId);
      expect(events.at(-1)).toMatchObject({ type: 'JobSucceeded', data: { unchanged: true } });
      expect(linesOf(events).at(-1)?.text).toBe('Unchanged: the content is the same as before.');
      const stated = JSON.parse((await bytes(at('provenance', job.deployId))).toString('utf8'));
      const again = verified(stated, await publicKeys(stele));
      expect(again.predicate.runDetails.metadata.invocationId).toBe(body.jobId);
      expect(again.subject).toEqual([
        { name: job.deployId, digest: { sha256: hash('sha256', await bytes(at('manifest'))) } },
      ]);
    });

    it('a deploy without a job has a manifest but no provenance statement', async () => {
      const { body: sent } = await stele.api
        .patch(`/v1/deploy?slug=${slug}`)
        .set({ ...token, 'content-type': 'text/html' })
        .send('<h1>By hand</h1>')
        .expect(200);
      const { body: none } = await get(at('provenance', sent.deployId)).expect(404);
      expect(none).toMatchObject({ code: 'not_found' });
      expect(`sha256:${hash('sha256', await bytes(at('manifest', sent.deployId)))}`).toBe(sent.digest);
      const { body: deploys } = await get(`/v1/sites/${slug}/deploys`).expect(200);
      expect(deploys.items[0]).not.toHaveProperty('provenanceUrl');
    });

    it('an unknown deploy ID returns 404', async () => {
      const unknown = `dep_${'0'.repeat(26)}`;
      for (const what of ['manifest', 'provenance']) {
        const { body } = await get(at(what, unknown)).expect(404);
        expect(body).toMatchObject({ code: 'deploy_not_found' });
      }
    });
  });
});

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
