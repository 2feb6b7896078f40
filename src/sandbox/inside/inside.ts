// Runs in the sandbox alongside the command, and cannot import other modules of this project. The sandbox has only a
// loopback network, where connections to a port are forwarded to the proxy’s socket.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { connect as connectSecurely, rootCertificates } from 'node:tls';

const PROXY = '/run/proxy.sock';
const PORT = 3128;

/** File that contains the command, because some engines disclose the arguments of a container. */
const COMMAND = '/run/command.json';

const [, , given] = process.argv;
const { script, env, cwd } =
  given === undefined
    ? JSON.parse(readFileSync(COMMAND, 'utf8'))
    : { script: given, env: process.env, cwd: process.cwd() };

/**
 * Matches a request for an https URL that a client sends to the proxy without a tunnel, as axios before 1.8 and some
 * other clients do.
 */
const WITHOUT_TUNNEL = /^[A-Z]{1,20} https:\/\//;

/**
 * Returns Node's certificates together with those that the operator has added. Returns undefined if there are none to
 * add. In a container, Node has not added them itself, because this process does not have the command's environment.
 */
function trusted(): string[] | undefined {
  const file: string | undefined = env.NODE_EXTRA_CA_CERTS;
  return file ? [...rootCertificates, readFileSync(file, 'utf8')] : undefined;
}

/**
 * Opens the tunnel for clients that send https requests without one, so the proxy outside the sandbox only has to
 * support tunnels.
 */
const tunnels = createHttpServer((asked, answer) => {
  const to = URL.parse(asked.url ?? '');
  const fail = (status: number, why: string) => {
    if (!answer.headersSent) answer.writeHead(status, { 'content-type': 'text/plain' });
    answer.end(`${why}\n`);
  };
  if (!to) return fail(400, 'The URL is not valid.');
  // A later request on this connection may be for an http URL, even though the first one was for an https URL.
  if (to.protocol !== 'https:') return fail(405, 'This proxy only supports https.');
  const port = to.port || '443';
  const opening = request({ socketPath: PROXY, method: 'CONNECT', path: `${to.hostname}:${port}`, agent: false });
  opening.on('error', () => fail(502, 'The proxy closed the connection.'));
  opening.on('connect', ({ statusCode = 502 }, socket) => {
    if (statusCode !== 200) {
      socket.destroy();
      return fail(statusCode, `${to.hostname} cannot be reached from a build.`);
    }
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = asked.headers;
    const sent = secureRequest({
      host: to.hostname,
      method: asked.method,
      path: `${to.pathname}${to.search}`,
      headers: { ...headers, host: to.host },
      // No HTTP agent is used, because an agent would open its own connection instead of using the tunnel.
      createConnection: () =>
        connectSecurely({ socket, servername: to.hostname, ca: trusted(), ALPNProtocols: ['http/1.1'] }),
    });
    sent.on('error', () => fail(502, `The connection to ${to.hostname} failed.`));
    sent.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, got.rawHeaders);
      got.pipe(answer);
    });
    asked.pipe(sent);
  });
  opening.end();
});

const forwarder = createServer((near) => {
  near.on('error', () => near.destroy());
  near.once('data', (first: Buffer) => {
    near.pause();
    near.unshift(first);
    if (WITHOUT_TUNNEL.test(first.toString('latin1', 0, 64))) {
      tunnels.emit('connection', near);
      return near.resume();
    }
    const far = connect(PROXY);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    return near.pipe(far).pipe(near);
  });
});

forwarder.listen(PORT, '127.0.0.1', () => {
  const command = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'inherit', 'inherit'], env, cwd });
  command.on('error', () => process.exit(127));
  // When this process exits, the sandbox ends. This also ends processes that the command left running.
  command.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
});
