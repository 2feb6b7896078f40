// needs: database, git, containers, busybox

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

const busybox = readFileSync('/bin/busybox');

/** A build that prints the network interfaces, the proxy, and the proxy’s response for a blocked host. */
const DOCKERFILE = `FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
RUN cut -d : -f 1 -s /proc/net/dev
RUN echo "by $HTTPS_PROXY"
RUN printf 'CONNECT evil.example:443 HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n' | nc -w 5 127.0.0.1 3128 || true
CMD ["/bin/busybox", "httpd", "-f", "-p", "3000"]
`;

describe('Dockerfile commands that may access package registries', () => {
  let engine: EngineUnderTest;
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    engine = await containerEngine();
    host = await GitHost.open();
    temporary = await temporaryFolder('image-network');
    const env = {
      ...engine.env,
      ...{ STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'container', STELE_IMAGE_BUILD_NETWORK: 'registries' },
    };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await host?.close();
    await engine?.close();
    await temporary?.remove();
  });

  it('Dockerfile commands can reach other hosts only through the proxy', async () => {
    host.commit('network', { Dockerfile: DOCKERFILE, busybox: { run: busybox }, 'index.html.txt': 'x' });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('network') })
      .expect(200);
    const job = await jobOver(stele, body.jobId, {}, 120_000);
    const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text.trim());
    expect({ lines, steps: job.steps.find(({ name }: { name: string }) => name === 'build') }).toMatchObject({
      steps: { status: 'succeeded' },
    });
    expect(lines.filter((line) => /^(?:lo|eth\d|ens\d|tap\d)$/.test(line))).toEqual(['lo']);
    expect(lines).toContain('by http://127.0.0.1:3128');
    expect(lines).toContainEqual(expect.stringMatching(/^HTTP\/1\.1 403/));
    expect(lines).toContainEqual(expect.stringMatching(/^Blocked a connection: evil\.example is not one of/));
  }, 240_000);
});
