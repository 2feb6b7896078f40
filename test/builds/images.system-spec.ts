// needs: containers, busybox

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Docker from 'dockerode';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';
import { storedFile } from '../support/content/stored-content.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen, linesOf } from '../support/sites/jobs.js';

const BASE = 'localhost/stele-test-base:1';
/** Debian's busybox-static, a single file with all tools. */
const busybox = readFileSync('/bin/busybox');

const page = (title: string, more = '') => `FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
RUN cat /proc/net/dev | cut -d : -f 1
COPY . /app
RUN echo ${title} > /app/index.html
${more}
EXPOSE 8080
CMD ["/bin/busybox", "httpd", "-f", "-p", "8080", "-h", "/app"]
`;

describe('A repository with a Dockerfile', () => {
  let engine: EngineUnderTest;
  let docker: Docker;
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    engine = await containerEngine();
    docker = new Docker({ socketPath: engine.env.DOCKER_HOST.slice('unix://'.length) });
    host = await GitHost.open();
    temporary = await temporaryFolder('images');
    const env = {
      ...engine.env,
      ...{ STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'container', STELE_IMAGE_REGISTRIES: 'localhost' },
      ...{ STELE_BUILD_MEMORY: '134217728' },
    };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await host?.close();
    await engine?.close();
    await temporary?.remove();
  });

  async function queued(name: string, tree: Tree, more: Record<string, unknown> = {}, token = {}) {
    host.commit(name, tree);
    const asked = { url: host.url(name), ...more };
    const { body } = await stele.api.post('/v1/repo/deploy').set(token).send(asked).expect(200);
    return { jobId: body.jobId as string, slug: body.slug as string, editToken: body.editToken as string };
  }

  async function deployed(name: string, tree: Tree, more: Record<string, unknown> = {}, token = {}) {
    const { jobId, slug, editToken } = await queued(name, tree, more, token);
    const job = await jobOver(stele, jobId, {}, 120_000);
    const lines = linesOf(await eventsOf(stele, jobId)).map((line) => line.text);
    return { job, lines, slug, token: { 'x-svc-edit-token': editToken } };
  }

  const images = async () => (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
  const ofBuilds = async () => (await images()).filter((tag) => tag.startsWith('localhost/stele-image'));

  it('a repository’s image is built, stored completely, loaded and run', async () => {
    const tree = { Dockerfile: page('One'), busybox: { run: busybox }, 'a.txt': 'A' };
    const { job, lines, slug, token } = await deployed('image', tree);
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(job.steps.map(({ name }) => name)).toEqual(['clone', 'detect', 'build', 'start']);
    const networks = lines.filter((line) => /^\s*(?:lo|eth\d|ens\d)/.test(line)).map((line) => line.trim());
    expect(networks).toEqual(['lo']);
    expect(await ofBuilds()).toEqual([]);

    const deploys = (await stele.api.get(`/v1/sites/${slug}/deploys`).set(token).expect(200)).body.items;
    const [{ digest, deployId, ...first }] = deploys;
    expect(first).toMatchObject({ status: 'live', program: { kind: 'container' }, files: 0 });
    expect(first).not.toHaveProperty('manifestUrl');
    const archive = await storedFile(stele, digest.slice('sha256:'.length), join(temporary.folder, 'stored'));
    expect(await shownBy(docker, archive, ['/bin/cat', '/app/index.html', '/app/a.txt'])).toBe('One\nA');

    expect((await stele.visit(slug).expect(200)).text).toBe('One\n');
    await assertHasNoFiles(slug, token, deployId);

    const again = await deployed('image', { ...tree, Dockerfile: page('Two') }, { slug }, token);
    expect(again.job).toMatchObject({ status: 'succeeded' });
    expect((await stele.visit(slug).expect(200)).text).toBe('Two\n');
    await stele.api.post(`/v1/sites/${slug}/rollback`).set(token).send({ deployId }).expect(200);
    while ((await stele.visit(slug).expect(200)).text !== 'One\n') await delay(200);
    const after = (await stele.api.get(`/v1/sites/${slug}/deploys`).set(token).expect(200)).body.items;
    expect(after.map(({ status }: { status: string }) => status)).toEqual(['superseded', 'live']);
  }, 240_000);

  async function assertHasNoFiles(slug: string, token: Record<string, string>, deployId: string) {
    const site = `/v1/sites/${slug}`;
    const get = (path: string) => stele.api.get(path).set(token);
    expect((await get(`${site}/files`).expect(200)).body).toMatchObject({ items: [], total: 0, deployId });
    const why = { code: 'not_found', detail: 'This deploy runs a server, so it has no files.' };
    for (const path of ['files/index.html', 'files.zip', `deploys/${deployId}/manifest`])
      expect((await get(`${site}/${path}`).expect(404)).body).toMatchObject(why);
    await get(`${site}/deploys/${deployId}/provenance`).expect(200);
    const none = { added: [], changed: [], removed: [] };
    expect((await get(`${site}/deploys/diff?from=${deployId}&to=${deployId}`).expect(200)).body).toEqual(none);
    const { body: history } = await get(`${site}/history`).expect(200);
    const published = history.items.find(({ type }: { type: string }) => type === 'SiteDeployed');
    expect(published).toMatchObject({ data: { program: { kind: 'container' } } });
    expect(published.summary).toContain('a server');
    expect((await stele.raw.get(`/s/${slug}/`).expect(404)).text).toContain('only available on the site’s own host');
    const changes = { files: [{ path: 'a.html', content: 'A' }] };
    const merged = await stele.api.patch(`/v1/deploy?slug=${slug}&mode=merge`).set(token).send(changes).expect(400);
    expect(merged.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'mode' }] });
  }

  it('a server that listens on port 80, like those in stock web server images, can be visited', async () => {
    const Dockerfile = page('Eighty').replaceAll('8080', '80');
    const { job, lines, slug } = await deployed('port-80', { Dockerfile, busybox: { run: busybox } });
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect((await stele.visit(slug).expect(200)).text).toBe('Eighty\n');
  }, 120_000);

  it('a server that an editor deploys receives the secret only if it was built from the linked repository', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    const { slug } = (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>Hi</h1>').expect(200))
      .body;
    await stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(ann.bearer).send({ value: 'sesame' }).expect(200);
    const invite = { email: 'ed@example.org', role: 'editor' };
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send(invite).expect(201);
    const { token } = (await stele.api.get((await newestMail(stele, invite.email)).path).expect(200)).body;
    const editor = { authorization: `Bearer ${token}` };
    const revealing = (title: string): Tree => ({
      Dockerfile: `FROM scratch
COPY busybox /bin/busybox
EXPOSE 8080
CMD ["/bin/busybox", "sh", "-c", "cd /tmp && echo ${title}: \${KEY-no secret} > index.html && exec /bin/busybox httpd -f -p 8080 -h /tmp"]
`,
      busybox: { run: busybox },
    });
    for (const name of ['linked', 'own']) host.commit(name, revealing(name));
    const linked = { url: host.url('linked') };
    await stele.api.put(`/v1/sites/${slug}/repository`).set(ann.bearer).send(linked).expect(200);
    const shownAfter = async (more: Record<string, unknown>) => {
      const begun = await stele.api
        .post('/v1/repo/deploy')
        .set(editor)
        .send({ slug, ...more })
        .expect(200);
      const job = await jobOver(stele, begun.body.jobId, editor, 120_000);
      expect(job).toMatchObject({ status: 'succeeded' });
      return (await stele.visit(slug).expect(200)).text.trim();
    };
    expect(await shownAfter({})).toBe('linked: sesame');
    expect(await shownAfter({ url: host.url('own') })).toBe('own: no secret');
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set(ann.bearer).expect(200);
    const ofLinked = body.items.find(({ trusted }: { trusted?: boolean }) => trusted);
    await stele.api.post(`/v1/sites/${slug}/rollback`).set(editor).send({ deployId: ofLinked.deployId }).expect(200);
    let text = '';
    while (!text.startsWith('linked')) ({ text } = await stele.visit(slug));
    expect(text.trim()).toBe('linked: sesame');
  }, 240_000);

  it.each([
    ['fails', 'RUN echo about to && false', 'build_failed', /false/],
    ['takes all memory', 'RUN head -c 400m /dev/zero | tail', 'build_failed', /limit of 128 MiB of memory/],
    [
      'takes all processes',
      'RUN n=0; while [ $n -lt 3000 ]; do sleep 9 & n=$((n+1)); done; wait',
      'build_failed',
      /exit status|limit of/,
    ],
    ['reaches out', 'ADD http://127.0.0.1/x /x', 'plan_not_detected', /ADD whose source may be outside the repository/],
    ['wants another registry', 'COPY --from=evil.example/x /a /a', 'plan_not_detected', /STELE_IMAGE_REGISTRIES/],
  ])(
    'a build that %s is reported as failed with the reason, and leaves nothing behind',
    async (name, more, code, message) => {
      const tree = { Dockerfile: page('X', more), busybox: { run: busybox } };
      const { job, lines } = await deployed(name.replaceAll(' ', '-'), tree);
      expect({ job, lines }).toMatchObject({ job: { status: 'failed', error: { code } } });
      expect(job.error?.message).toMatch(message);
      expect(await ofBuilds()).toEqual([]);
    },
    180_000,
  );

  it('an image is not built if its base image has ONBUILD instructions that use the network', async () => {
    const folder = join(temporary.folder, 'base');
    mkdirSync(folder);
    writeFileSync(join(folder, 'busybox'), busybox);
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY busybox /\nONBUILD ADD http://127.0.0.1:1/x /x\n');
    const archive = execFileSync('tar', ['-C', folder, '-cf', '-', '.'], { maxBuffer: 16_777_216 });
    await text(await docker.buildImage(Readable.from([archive], { objectMode: false }), { t: BASE }));
    const { job } = await deployed('triggered', { Dockerfile: `FROM ${BASE}\nCMD ["/busybox"]\n` });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'build_failed' } });
    expect(job.error?.message).toMatch(/adds an ONBUILD instruction that is not allowed/);
  }, 120_000);

  it('stopping the job stops the image build', async () => {
    const tree = { Dockerfile: page('X', 'RUN echo sleeping && sleep 300') };
    const { jobId, editToken } = await queued('stopped', { ...tree, busybox: { run: busybox } });
    const token = { 'x-svc-edit-token': editToken };
    const isSleeping = async () => linesOf(await eventsOf(stele, jobId)).some(({ text: line }) => line === 'sleeping');
    while (!(await isSleeping())) await delay(100);
    await stele.api.post(`/v1/jobs/${jobId}/stop`).set(token).expect(200);
    const job = await jobWhen(stele, jobId, ({ status }) => status === 'stopped', {}, 60_000);
    expect(job.status).toBe('stopped');
    expect(await ofBuilds()).toEqual([]);
  }, 120_000);
});

async function shownBy(docker: Docker, archive: string, command: string[]): Promise<string> {
  const loaded = await text(await docker.loadImage(archive));
  const id = /sha256:([0-9a-f]{64})|Loaded image(?:\(s\))?: (\S+)\\n/.exec(loaded);
  const name = id?.[1] ?? id?.[2] ?? '';
  const container = await docker.createContainer({
    Image: name,
    Cmd: command,
    Tty: true,
    HostConfig: { NetworkMode: 'none' },
  });
  await container.start();
  await container.wait();
  const printed = await container.logs({ stdout: true, follow: false });
  await container.remove({ force: true });
  await docker.getImage(name).remove({ force: true });
  return printed.toString('utf8').replaceAll('\r', '').trim();
}
