import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { reusablePort } from '../service/reusable-port.js';

export type Ports = { readonly acme: number; readonly tls: number; readonly http: number };

export const portsOfFront = async (): Promise<Ports> => {
  const [acme, tls, http] = [await reusablePort(), await reusablePort(), await reusablePort()];
  return { acme, tls, http };
};

export const acmeUrl = ({ acme }: Ports) => `https://localhost:${acme}/dir`;

/** A self-signed certificate that Caddy is configured to trust. */
const PEM = resolve('test/fixtures/localhost.test.pem');

/**
 * Disables a rate limit of Caddy before version 2.10, which refuses handshakes after ten certificate requests within
 * ten seconds.
 */
const UNREFUSED = 'on_demand_tls {\n\t\tinterval 1s\n\t\tburst 1000';
const hasRefusals = () => /^v?2\.[0-9]\./.test(execFileSync('caddy', ['version'], { encoding: 'utf8' }));

export type SecureAnswer = {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly issuer: string;
  readonly serial: string;
  /** SHA-256 of the issuer's key in base64, for Chromium's option `--ignore-certificate-errors-spki-list`. */
  readonly issuerKey: string;
  readonly handshakeMs: number;
};

/**
 * Starts an ACME server (Debian's pebble) that resolves names through `dns`, and Caddy with the repository's
 * Caddyfile. Both run on loopback. `folder` must be empty.
 */
export class HttpsFront {
  readonly #children: ChildProcess[] = [];
  #said = '';

  /** Certificates are valid for `validSeconds`, and Caddy renews them when a third of that time is left. */
  constructor(
    private readonly folder: string,
    private readonly ports: Ports,
    private readonly validSeconds = 86_400,
  ) {}

  async start(dns: string, stele: { readonly port: number }): Promise<void> {
    await this.#startAuthority(dns);
    const caddyfile = join(this.folder, 'Caddyfile');
    const { http, tls } = this.ports;
    const own = `admin off\n\thttp_port ${http}\n\thttps_port ${tls}\n\tdefault_bind 127.0.0.1`;
    const file = (await readFile('Caddyfile', 'utf8')).replace('admin off', own);
    await writeFile(caddyfile, hasRefusals() ? file.replace('on_demand_tls {', UNREFUSED) : file);
    const port = await reusablePort();
    const to = `to 127.0.0.1:${stele.port}`;
    await this.#run(
      'caddy',
      ['run', '--config', caddyfile, '--adapter', 'caddyfile'],
      'serving initial configuration',
      {
        XDG_DATA_HOME: this.folder,
        XDG_CONFIG_HOME: this.folder,
        SSL_CERT_FILE: PEM,
        STELE_BASE_URL: `http://localhost:${port}`,
        STELE_SITES_URL: `http://*.localhost:${port}`,
        STELE_OTHERS_URL: 'https://',
        STELE_OTHERS: 'others_by_https',
        STELE_API_AT: to,
        STELE_SERVE_AT: to,
        STELE_ASK_URL: `http://127.0.0.1:${stele.port}/internal/tls/ask`,
        STELE_ACME_EMAIL: 'certificates@example.org',
        STELE_ACME_URL: acmeUrl(this.ports),
      },
    );
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  said = () => this.#said;

  orders = () => this.#said.split('POST /order-plz').length - 1;

  async certificates(): Promise<string[]> {
    const files = await readdir(join(this.folder, 'caddy/certificates'), { recursive: true }).catch(() => []);
    return files.flatMap((file) => (file.endsWith('.crt') ? [file.slice(file.lastIndexOf('/') + 1, -4)] : [])).sort();
  }

  /** Sends a request as a browser does, with the name in the TLS handshake. Rejects if the handshake fails. */
  get(hostname: string, path = '/', host = hostname): Promise<SecureAnswer> {
    return new Promise((done, reject) => {
      const began = performance.now();
      const sent = request({
        host: '127.0.0.1',
        port: this.ports.tls,
        path,
        servername: hostname,
        headers: { host: `${host}:${this.ports.tls}` },
        // The test's certificate authority is not trusted on any machine.
        rejectUnauthorized: false,
        agent: false,
      });
      let handshakeMs = 0;
      sent.on('socket', (socket) => socket.once('secureConnect', () => (handshakeMs = performance.now() - began)));
      sent.on('error', reject);
      sent.on('response', (answer) => {
        const { issuer, serial, issuerKey } = shown(answer.socket as TLSSocket);
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => {
          done({
            status: answer.statusCode ?? 0,
            text,
            headers: answer.headers,
            issuer,
            serial,
            issuerKey,
            handshakeMs,
          });
        });
      });
      sent.end();
    });
  }

  async #startAuthority(dns: string) {
    const { acme, tls, http } = this.ports;
    const config = join(this.folder, 'pebble.json');
    const pebble = {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: '',
      certificate: PEM,
      privateKey: PEM,
      httpPort: http,
      tlsPort: tls,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
      certificateValidityPeriod: this.validSeconds,
    };
    await writeFile(config, JSON.stringify({ pebble }));
    const quick = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' };
    await this.#run('pebble', ['-config', config, '-dnsserver', dns], 'ACME directory available at', quick);
  }

  /** Resolves when the program has printed `ready`. */
  async #run(program: string, words: readonly string[], ready: string, env: Record<string, string>): Promise<void> {
    const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    await new Promise<void>((started, reject) => {
      let said = '';
      const hear = (chunk: Buffer) => {
        said += chunk;
        this.#said += chunk;
        if (said.includes(ready)) started();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`${program} ended (${code}):\n${said}`)));
    });
  }
}

function shown(socket: TLSSocket) {
  const certificate = socket.getPeerCertificate(true);
  const key = socket.getPeerX509Certificate()?.issuerCertificate?.publicKey.export({ type: 'spki', format: 'der' });
  return {
    issuer: [certificate.issuer.CN].join(),
    serial: certificate.serialNumber,
    issuerKey: createHash('sha256')
      .update(key ?? '')
      .digest('base64'),
  };
}
