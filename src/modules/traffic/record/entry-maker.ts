import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { headerField } from '../../../edge/http/server/header-field.js';
import { nameInHost } from '../../../edge/http/server/hosts/hosts.js';
import type { Countries } from '../../../kernel/ports/outside/countries.js';
import type { ServedRequest } from '../api/served-request.js';
import { recordedMethod } from './recorded-method.js';
import { recordedPath } from './recorded-path.js';
import type { AccessEntry, ClientKind } from './tables/access-entry.js';
import { ClientClassifier, type ClientProperties } from './visitor/client-classifier.js';
import { referrerHost } from './visitor/referrer-host.js';
import type { VisitorFields } from './visitor/visitor-fields.js';
import { visitorHash } from './visitor/visitor-hash.js';

/** Creates log entries, which contain neither the visitor's address nor the user agent. */
export class EntryMaker {
  readonly #programs = new ClientClassifier();

  constructor(
    private readonly clientAddress: Pick<ClientAddress, 'addressBehind'>,
    private readonly countries: Countries,
  ) {}

  /** Creates the log entry for a request. `salt` is the salt of the day, or null if visitors must not be recognized. */
  entryOf(served: ServedRequest, at: number, fields: VisitorFields, salt: Buffer | null): AccessEntry {
    const { request, status, bytes, ms, peer } = served;
    const { siteId, isCounted, prefixLength, isHtml } = served.place;
    const program = this.#programs.of(fields.userAgent);
    const address = isCounted ? this.clientAddress.addressBehind(peer, fields.forwardedFor) : null;
    const recognised = salt !== null && address !== null && !fields.objects;
    return {
      siteId,
      at,
      hits: 1,
      method: recordedMethod(request.method),
      path: recordedPath(request.url, prefixLength, status),
      status,
      bytes,
      ms,
      referrer: this.#referrer(served, fields.referer),
      client: kindOf(program, fields),
      isPage: isHtml && (status === 200 || status === 304),
      counted: isCounted,
      visitor: recognised ? visitorHash(salt, siteId, address, fields.userAgent) : null,
      browser: program.browser,
      system: program.system,
      device: program.device,
      country: address === null ? null : this.countries.of(address),
    };
  }

  #referrer({ place: { siteId }, request: { rawHeaders }, hosts }: ServedRequest, referer: string): string | null {
    if (referer === '') return null;
    const host = referrerHost(referer);
    if (host === null || hosts.isOf(host, siteId)) return null;
    return host === nameInHost(headerField(rawHeaders, 'host')) ? null : host;
  }
}

function kindOf({ kind }: ClientProperties, { isPrefetch }: VisitorFields): ClientKind {
  return kind === 'person' && isPrefetch ? 'prefetch' : kind;
}
