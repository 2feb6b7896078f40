import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

export type Recorded = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly answered: IncomingHttpHeaders;
};

export type RecordingProxy = {
  readonly port: number;
  readonly records: Recorded[];
  /** Sets the service's port. Requests before this call get no response. */
  readonly leadTo: (port: number) => void;
  /** Removes these headers from the service's responses from now on. */
  readonly take: (...headers: string[]) => void;
  readonly stop: () => Promise<void>;
};

/** Records the traffic between browser and service. Uses HTTPS if `pem` (a key and a certificate) is given. */
export async function startRecordingProxy(pem: Buffer | null): Promise<RecordingProxy> {
  const records: Recorded[] = [];
  let service = 0;
  let taken: readonly string[] = [];

  const pass: RequestListener = (asked, answer) => {
    const { method = 'GET', url: path = '/', headers } = asked;
    const onward = request({ port: service, host: '127.0.0.1', method, path, headers }, (response) => {
      const status = response.statusCode ?? 0;
      records.push({ method, host: headers.host ?? '', path, headers, status, answered: response.headers });
      const kept = Object.entries(response.headers).filter(([name]) => !taken.includes(name));
      answer.writeHead(status, Object.fromEntries(kept));
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  };
  const server = pem ? createSecureServer({ key: pem, cert: pem }, pass) : createServer(pass);
  const sockets = new Set<Socket>();
  server.on('upgrade', (asked, socket: Socket) => {
    const { method = 'GET', url: path = '/', headers } = asked;
    const onward = connect(service, '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    onward.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    onward.once('data', (chunk) => {
      const status = Number(String(chunk).split(' ')[1]);
      records.push({ method, host: headers.host ?? '', path, headers, status, answered: {} });
      socket.write(chunk);
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    records,
    leadTo: (port) => {
      service = port;
    },
    take: (...headers) => {
      taken = headers;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
