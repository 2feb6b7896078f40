// Runs in a container that shares only an isolated network with a server’s container, and cannot import other modules
// of this project. Forwards connections from the socket to the server’s port, and from the proxy port to the proxy’s
// socket, if there is one.
import { existsSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

const SOCKET = '/run/stele/http.sock';
const PROXY = '/run/proxy.sock';
const PROXY_PORT = 3128;

const [, , port] = process.argv;

/** Sent to a client, as the only byte, while the server is not listening. No HTTP response begins with this byte. */
const NOBODY = Buffer.alloc(1);
/**
 * Time for the client to read the byte `NOBODY`. If the connection were closed earlier, the client’s pending writes
 * could fail before the client reads it.
 */
const READS_WITHIN_MS = 5_000;

/** Forwards connections. Each side of a connection can end before the other side does. */
const pass = (to: () => Socket, unreached = Buffer.alloc(0)) =>
  createServer({ allowHalfOpen: true }, (near) => {
    const far = to();
    let isReached = false;
    far.once('connect', () => {
      isReached = true;
    });
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far
      .on('error', () => undefined)
      .on('close', () => {
        if (isReached || unreached.length === 0) return near.destroy();
        near.setTimeout(READS_WITHIN_MS, () => near.destroy());
        return near.resume().end(unreached);
      });
    near.pipe(far).pipe(near);
  });

// If the server listens on the socket itself, only the proxy port has to be forwarded.
if (port !== 'none') {
  if (existsSync(SOCKET)) unlinkSync(SOCKET);
  pass(() => connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true }), NOBODY).listen(
    SOCKET,
  );
} else setInterval(() => undefined, 60_000);
if (existsSync(PROXY)) pass(() => connect({ path: PROXY, allowHalfOpen: true })).listen(PROXY_PORT, '127.0.0.1');
