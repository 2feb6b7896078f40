import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

/** An HTTP proxy that requires a user name and a password. It forwards requests and tunnels. */
export class AuthenticatingProxy {
  /** Requests that were forwarded, such as `CONNECT host:port`. */
  readonly passed: string[] = [];
  refused = 0;

  private constructor(private readonly server: Server) {}

  static async open(credentials: string): Promise<AuthenticatingProxy> {
    const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
    const server = createServer();
    const proxy = new AuthenticatingProxy(server);
    server.on('connect', ({ url = '', headers }, client, head) => {
      if (headers['proxy-authorization'] !== expected) {
        proxy.refused += 1;
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="office"\r\n\r\n');
        return;
      }
      proxy.passed.push(`CONNECT ${url}`);
      const target = connect(Number(url.split(':').pop()), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.write(head);
        client.pipe(target).pipe(client);
      });
      for (const [socket, other] of [
        [client, target],
        [target, client],
      ] as const)
        socket.on('error', () => other.destroy());
    });
    server.on('request', (incoming, response) => {
      const { 'proxy-authorization': given, ...headers } = incoming.headers;
      if (given !== expected) {
        proxy.refused += 1;
        response.writeHead(407, { 'proxy-authenticate': 'Basic realm="office"' }).end();
        return;
      }
      const { port, pathname, search } = new URL(incoming.url ?? '');
      proxy.passed.push(`${incoming.method} ${pathname}`);
      const options = { host: '127.0.0.1', port, method: incoming.method, path: pathname + search, headers };
      const onward = request(options, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      });
      onward.on('error', () => response.destroy());
      incoming.pipe(onward);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return portOf(this.server);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Puts TLS in front of a port, with a certificate that no system trusts. Returns its address and the certificate. */
export async function startTls(folder: string, target: number) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', certificate, '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ],
    { stdio: 'pipe' },
  );
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
    const service = connect(target, '127.0.0.1');
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
    client.pipe(service).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { address: `https://127.0.0.1:${portOf(server)}`, certificate, close: () => server.close() };
}
