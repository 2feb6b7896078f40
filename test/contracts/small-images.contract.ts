import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EngineUnderTest } from '../support/builds/container-engine.js';
import { importBase } from '../support/builds/images-under-test.js';
import { SteadyVisits } from '../support/servers/steady-visits.js';
import { serversFolder } from '../support/servers/stele-with-servers.js';
import { type Stele, startStele } from '../support/service/stele.js';
import { WebSocketClient } from '../support/service/web-socket-client.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

const NODE = 'localhost/stele-test-node';

/** A Node server without packages. It serves pages and a minimal WebSocket echo (RFC 6455). */
const ECHO = (version: string) => `
const { createServer } = require('node:http');
const { createHash } = require('node:crypto');
const KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const server = createServer((request, response) => response.end('${version} ' + request.url));
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + KEY).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\nsec-websocket-accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('error', () => {}).on('data', (frame) => {
    const length = frame[1] & 127;
    if ((frame[0] & 15) !== 1 || length > 125) return socket.destroy();
    const text = Buffer.from(frame.subarray(6, 6 + length)).map((byte, at) => byte ^ frame[2 + (at % 4)]);
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
});
server.listen(process.env.PORT);
`;

/** A server without Node: busybox's httpd serves pages, and a shell script with dd echoes WebSocket messages. */
const SHELL = (version: string) => `#!/bin/sh
read -r method path rest
key=; upgrade=
while read -r line; do
  line=$(printf %s "$line" | tr -d '\\r')
  [ -z "$line" ] && break
  case "$line" in
    [Ss]ec-[Ww]eb[Ss]ocket-[Kk]ey:*) key=\${line#*: } ;;
    [Uu]pgrade:*) upgrade=1 ;;
  esac
done
if [ -z "$upgrade" ]; then
  text="${version} $path"
  printf 'HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: %d\\r\\n\\r\\n%s' \${#text} "$text"
  exit
fi
accept=$(printf '%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11' "$key" | sha1sum | cut -c1-40 | xxd -r -p | base64)
printf 'HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\nsec-websocket-accept: %s\\r\\n\\r\\n' "$accept"
while :; do
  frame=$(dd bs=1 count=6 2>/dev/null | xxd -p)
  [ \${#frame} -eq 12 ] || exit
  length=$((0x$(printf %s "$frame" | cut -c3-4) & 127))
  printf "\\\\201\\\\$(printf %o "$length")"
  at=0
  while [ $at -lt $length ]; do
    byte=$(dd bs=1 count=1 2>/dev/null | xxd -p)
    mask=$(printf %s "$frame" | cut -c$((5 + at % 4 * 2))-$((6 + at % 4 * 2)))
    printf "\\\\$(printf %o $((0x$byte ^ 0x$mask)))"
    at=$((at + 1))
  done
done
`;

const images: readonly (readonly [string, (version: string) => Tree])[] = [
  [
    'of Node, at the port that it is given',
    (version) => ({
      Dockerfile: `FROM ${NODE}\nCOPY server.js /app/\nWORKDIR /app\nCMD ["/bin/node", "server.js"]\n`,
      'server.js': ECHO(version),
    }),
  ],
  [
    'of Node, at the port that it exposes',
    (version) => ({
      Dockerfile: `FROM ${NODE}\nCOPY . /app\nEXPOSE 8080\nCMD /bin/node /app/server.js\n`,
      'server.js': ECHO(version),
    }),
  ],
  [
    'of Node, at a socket, with nothing beside it',
    (version) => ({
      Dockerfile: `FROM ${NODE}\nLABEL stele.listen=socket\nCOPY . /app\nCMD ["/bin/node", "/app/server.js"]\n`,
      'server.js': ECHO(version),
    }),
  ],
  [
    'of busybox',
    (version) => ({
      Dockerfile: `FROM ${NODE}-small\nCOPY echo.sh /echo.sh\nEXPOSE 8080\nCMD ["/bin/nc", "-ll", "-p", "8080", "-e", "/bin/sh", "/echo.sh"]\n`,
      'echo.sh': SHELL(version),
    }),
  ],
];

export function smallImages(name: string, open: () => Promise<EngineUnderTest>) {
  describe(`Small servers built from a Dockerfile ${name}`, () => {
    let engine: EngineUnderTest;
    let host: GitHost;
    let temporary: Awaited<ReturnType<typeof serversFolder>>;
    let stele: Stele;

    beforeAll(async () => {
      engine = await open();
      await importBase(engine.env, NODE, {});
      await importBase(engine.env, `${NODE}-small`, null);
      host = await GitHost.open();
      temporary = await serversFolder('small-images');
      const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'container', STELE_IMAGE_REGISTRIES: 'localhost' };
      stele = await startStele({ folder: temporary.folder, env: { ...engine.env, ...env } });
    }, 180_000);
    afterAll(async () => {
      await stele?.stop();
      await host?.close();
      await engine?.close();
      await temporary?.remove();
    }, 60_000);

    async function deployed(repository: string, tree: Tree, slug?: string, token = {}) {
      host.commit(repository, tree);
      const asked = { url: host.url(repository), ...(slug !== undefined && { slug }) };
      const { body } = await stele.api.post('/v1/repo/deploy').set(token).send(asked).expect(200);
      const job = await jobOver(stele, body.jobId, {}, 120_000);
      const lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
      if (job.status !== 'succeeded') throw new Error(JSON.stringify({ error: job.error, lines }));
      return { job, slug: body.slug as string, token: { 'x-svc-edit-token': body.editToken as string } };
    }

    it.each(images)(
      'a small server (%s) responds and echoes WebSocket messages, even after a redeploy and a rollback',
      async (what, treeOf) => {
        const repository = `r${images.findIndex(([each]) => each === what)}`;
        const first = await deployed(repository, treeOf('one'));
        const { slug, token } = first;
        const says = async (version: string) => {
          while ((await stele.visit(slug, '/a').expect(200)).text !== `${version} /a`) await delay(20);
          const socket = new WebSocketClient(stele.base, { host: `${slug}.localhost:${stele.port}` });
          for (const text of ['"hello"', '"again"']) {
            socket.say(text);
            await socket.until((message) => message === JSON.parse(text));
          }
          socket.cut();
        };
        await says('one');
        const visits = new SteadyVisits(stele.port, `${slug}.localhost:${stele.port}`, '/');
        await deployed(repository, treeOf('two'), slug, token);
        await says('two');
        const began = performance.now();
        await stele.api
          .post(`/v1/sites/${slug}/rollback`)
          .set(token)
          .send({ deployId: first.job.deployId })
          .expect(200);
        while ((await stele.visit(slug, '/a').expect(200)).text !== 'one /a');
        const backMs = Math.round(performance.now() - began);
        await says('one');
        expect(await visits.end()).toEqual([]);
        console.log(
          `${name}, ${what}: back in ${backMs} ms; ${visits.count} visits, slowest ${Math.round(visits.slowestMs)} ms`,
        );
      },
      240_000,
    );
  });
}
