import { isIP } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import { CertificateServer } from '../../kernel/ports/outside/certificate-server.js';

/** Timeout in milliseconds. It is long, because an authority may validate the server from several locations first. */
const HANDSHAKE_TIMEOUT_MS = 60_000;

/** Triggers the creation of a certificate as a browser would: by a TLS handshake with the name (SNI). */
export class TlsHandshake extends CertificateServer {
  override readonly isThere = true;

  constructor(
    private readonly at: { readonly host: string; readonly port: number },
    private readonly withinMs = HANDSHAKE_TIMEOUT_MS,
  ) {
    super();
  }

  override async obtain(hostname: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // The operator chooses the certificate authority, which browsers need not trust. The certificate is therefore not
    // verified.
    const socket = connect({
      ...this.at,
      servername: hostname,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const over = setTimeout(() => reject(new Error(`no response within ${this.withinMs / 1_000} s`)), this.withinMs);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('secureConnect', () => {
      const fault = faultOf(hostname, socket);
      if (fault === null) resolve();
      else reject(new Error(fault));
    });
    try {
      await promise;
    } catch (error) {
      signal.throwIfAborted();
      const at = isIP(this.at.host) === 6 ? `[${this.at.host}]` : this.at.host;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`No certificate for ${hostname} at ${at}:${this.at.port}: ${reason}`, { cause: error });
    } finally {
      clearTimeout(over);
      signal.removeEventListener('abort', abort);
      socket.destroy();
    }
  }
}

/**
 * Returns what is wrong with the server’s certificate, or null. A server may present a certificate for another name.
 */
function faultOf(hostname: string, socket: TLSSocket): string | null {
  const certificate = socket.getPeerCertificate();
  if (checkServerIdentity(hostname, certificate) !== undefined) return 'the certificate is for another name';
  return Date.parse(certificate.valid_to) <= Date.now() ? 'the certificate has expired' : null;
}
