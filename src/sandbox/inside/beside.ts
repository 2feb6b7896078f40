// Runs beside the program of a container, in a container of its own that shares nothing with it but a network without a
// way out: nothing of ours is there to import. What comes in at the socket goes to the port that the program listens to;
// what the program sends to the proxy's port goes out by the proxy's socket, where there is one.
import { existsSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

const SOCKET = '/run/stele/http.sock';
const PROXY = '/run/proxy.sock';
const PROXY_PORT = 3128;

const [, , port] = process.argv;

/** Sent to a client that connects while the program listens to nothing, and nothing after it: no answer begins so. */
const NOBODY = Buffer.alloc(1);
/** A client closes the connection when it has read that: closed here, what it still writes would fail before. */
const READS_WITHIN_MS = 5_000;

/** Each side may end before the other: half of a connection is a connection. */
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

// A program that listens to the socket by itself needs the way out alone.
if (port !== 'none') {
  if (existsSync(SOCKET)) unlinkSync(SOCKET);
  pass(() => connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true }), NOBODY).listen(
    SOCKET,
  );
} else setInterval(() => undefined, 60_000);
if (existsSync(PROXY)) pass(() => connect({ path: PROXY, allowHalfOpen: true })).listen(PROXY_PORT, '127.0.0.1');
