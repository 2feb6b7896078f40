// Preloaded into a site’s server in a sandbox, where it cannot import other modules of this project. There is no
// network, so a server that calls `listen` on PORT listens on a socket instead. If the server is allowed to connect
// to hosts, a port on its loopback interface leads to the proxy.
import { existsSync } from 'node:fs';
import { connect, createServer, Server } from 'node:net';

const SOCKET = '/run/stele/http.sock';
const PROXY = '/run/proxy.sock';
const PROXY_PORT = 3128;
const port = String(process.env.PORT);

const listen = Server.prototype.listen;

function portIn([first]: readonly unknown[]): unknown {
  return typeof first === 'object' && first !== null && 'port' in first ? first.port : first;
}

/** Listens on the socket. Fails on a second call, as listening on the same port twice would. */
function listenInside(this: Server, ...args: unknown[]): Server {
  if (String(portIn(args)) !== port) return Reflect.apply(listen, this, args);
  const last = args.at(-1);
  return Reflect.apply(listen, this, [{ path: SOCKET }, ...(typeof last === 'function' ? [last] : [])]);
}

Server.prototype.listen = listenInside as typeof listen;

if (existsSync(PROXY)) {
  const forwarder = createServer((near) => {
    const far = connect(PROXY);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  forwarder.unref();
  Reflect.apply(listen, forwarder, [PROXY_PORT, '127.0.0.1']);
}
