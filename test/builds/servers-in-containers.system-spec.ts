// needs: containers, busybox

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { serversContract } from '../contracts/servers.contract.js';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';
import { imageOf } from '../support/builds/images-under-test.js';
import { ask, ServersUnderTest } from '../support/builds/servers-under-test.js';

let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await containerEngine();
}, 60_000);
afterAll(() => engine?.close());

const inNode = ['WORKDIR /app', 'CMD ["/bin/node","/app/server.js"]'];
const open = () => ServersUnderTest.open('container', { ...process.env, ...engine.env });

serversContract('A container', open, (script) =>
  imageOf(engine.env, { hasNode: true, files: { 'app/server.js': script }, changes: inNode }),
);

describe('Container images', () => {
  let under: ServersUnderTest;
  beforeAll(async () => {
    under = await open();
  });
  afterEach(() => under.stop());
  afterAll(() => under?.close());

  const site = { 'www/index.html': 'from busybox' };

  it('requests are sent to the port that the image exposes', async () => {
    const changes = ['EXPOSE 8080/tcp', 'CMD ["/bin/httpd","-f","-p","8080","-h","/www"]'];
    const running = await under.start(await imageOf(engine.env, { files: site, changes }));
    expect(await ask(running)).toBe('from busybox');
  }, 120_000);

  it('an image with the label stele.listen=socket can listen on a Unix socket instead of a port', async () => {
    const server = `require('node:http').createServer((_, answer) => answer.end(process.env.PORT)).listen(process.env.PORT)`;
    const running = await under.start(
      await imageOf(engine.env, {
        hasNode: true,
        files: { 'server.js': server },
        changes: ['LABEL stele.listen=socket', 'CMD ["/bin/node","/server.js"]'],
      }),
    );
    expect(await ask(running)).toBe('/run/stele/http.sock');
  }, 120_000);

  it('an image’s volumes are writable, but only in memory', async () => {
    const fill = 'i=0; while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >> /data/x; do :; done; echo full; sleep 60';
    const under64 = { limits: { diskBytes: 1_048_576 } };
    const changes = ['VOLUME /data', `CMD ["/bin/sh","-c","${fill}"]`];
    await under.start(await imageOf(engine.env, { files: site, changes }), under64);
    await under.waitForOutput('full');
  }, 120_000);

  const writing = (...paths: string[]) =>
    `CMD ["/bin/sh","-c","${paths.map((path) => `echo x > ${path}`).join(' && ')} && exec /bin/httpd -f -p 80 -h /www"]`;

  it.each([
    ['the image sets no user', []],
    ['the image sets a user other than root', ['USER 1234:1234']],
  ])(
    'if %s, the server can write to /run and its volumes, even if root owns these folders in the image',
    async (_, user) => {
      const files = { ...site, 'run/lock/old': '', 'var/lib/app/old': '' };
      const changes = ['EXPOSE 80', 'VOLUME /var/lib/app', ...user, writing('/run/pid', '/var/lib/app/new')];
      const running = await under.start(await imageOf(engine.env, { files, changes }));
      expect(await ask(running)).toBe('from busybox');
    },
    120_000,
  );

  it.each([
    ['nginx', 'NGINX_VERSION=1.29.3', 'var/cache/nginx'],
    ['Apache httpd', 'HTTPD_PREFIX=/usr/local/apache2', 'usr/local/apache2/logs'],
  ])(
    'in an image like the official %s image, the server can write to the folder that it needs when it starts',
    async (_, variable, folder) => {
      const files = { ...site, [`${folder}/old`]: '' };
      const changes = ['EXPOSE 80', `ENV ${variable}`, writing(`/${folder}/new`, '/run/server.pid')];
      const running = await under.start(await imageOf(engine.env, { files, changes }));
      expect(await ask(running)).toBe('from busybox');
    },
    120_000,
  );

  it('an invalid image is refused', async () => {
    const none = { kind: 'container' as const, digest: '0'.repeat(64), content: async function* () {} };
    await expect(under.start(none)).rejects.toThrow('The stored image could not be loaded');
  }, 60_000);
});
