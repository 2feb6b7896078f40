import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { SiteHosts } from '../../serving/api/site-hosts.js';

const PATH = '/internal/tls/ask';

/** What a client may say that it wants to reach (RFC 6066 section 3): a name, never an address or a port. */
const NAME = /^[a-z0-9.-]{1,253}$/;

/**
 * Answers the server that ends TLS, before it gets a certificate for a name: Caddy’s `ask`. In front of the framework, as
 * any client that connects makes that server ask, with any names and as often as it likes, while visitors wait for
 * theirs.
 */
@Injectable()
export class CertificateAsk {
  constructor(
    private readonly hosts: SiteHosts,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
  ) {}

  /**
   * 200 where a certificate may be issued for the name, else 404. False, and left alone, for any other request, and for
   * any other caller, such as a client for whom that server speaks.
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
