import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { SiteHosts } from '../../serving/api/site-hosts.js';

const PATH = '/internal/tls/ask';

/** Format of a server name (RFC 6066 section 3): a hostname, never an IP address or port. */
const NAME = /^[a-z0-9.-]{1,253}$/;

/**
 * Decides whether the server that terminates TLS can get a certificate for a name (Caddy's `ask` endpoint). Bypasses
 * the framework for speed: any client can trigger requests for arbitrary names, and visitors wait for their
 * certificates meanwhile.
 */
@Injectable()
export class CertificateAsk {
  constructor(
    private readonly hosts: SiteHosts,
    private readonly clientAddress: ClientAddress,
  ) {}

  /**
   * Responds with 200 if a certificate can be issued for the requested name, otherwise with 404. Returns false for any
   * other request without responding to it. This includes requests of clients that the TLS server forwards.
   */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '' } = request;
    const query = url.startsWith(PATH) ? url.slice(PATH.length) : null;
    const isAsked = query === '' || query?.startsWith('?') === true;
    if (!isAsked || method !== 'GET' || !this.clientAddress.isPeerItself(request)) return false;
    const names = new URLSearchParams(query).getAll('domain');
    const isIssued = names.length === 1 && this.#isIssued(names[0] ?? '');
    request.resume();
    response.writeHead(isIssued ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(
      isIssued ? 'A certificate may be issued for this name.\n' : 'No certificate may be issued for this name.\n',
    );
    return true;
  };

  #isIssued(name: string): boolean {
    const hostname = name.toLowerCase().replace(/\.$/, '');
    return NAME.test(hostname) && this.hosts.isCertifiable(hostname);
  }
}
