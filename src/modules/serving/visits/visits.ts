import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DrainingResponse } from '../../../edge/http/server/draining-response.js';
import type { OnSent } from '../../../edge/http/server/first-handler.js';
import { AccessLog } from '../../traffic/api/access-log.js';
import type { VisitedPlace } from '../../traffic/api/served-request.js';
import { SiteHosts } from '../api/site-hosts.js';
import type { ServedSite } from '../sites/served-site.js';

/** A site at addresses that have this before its own paths, such as `/` or `/s/docs/`. */
export const placeAt = ({ siteId, capabilities }: ServedSite, prefix: string, isHtml: boolean): VisitedPlace => ({
  siteId,
  isCounted: capabilities.analytics,
  prefixLength: prefix.length - 1,
  isHtml,
});

/** Tells the access log of what was answered for sites. */
@Injectable()
export class Visits {
  constructor(
    @Inject(AccessLog) private readonly log: Pick<AccessLog, 'passesOver' | 'record' | 'wants'>,
    @Inject(SiteHosts) private readonly hosts: Pick<SiteHosts, 'isOf'>,
  ) {}

  /** For all answers of one address, of which the fast path tells; null where nothing is kept of them. */
  at(place: VisitedPlace): OnSent | null {
    const { log, hosts } = this;
    if (!log.wants(place)) return null;
    return (request, status, bytes, at, ms, peer) => {
      if (!log.passesOver(place)) log.record({ place, request, status, bytes, at, ms, peer, hosts });
    };
  }

  /** For one request, before it is answered. */
  watch(request: IncomingMessage, response: ServerResponse): Visit {
    return new Visit(this.log, this.hosts, request, response);
  }
}

/** A request that is being answered: recorded when its answer is over, or its visitor has left. */
export class Visit {
  readonly #at = Date.now();
  readonly #began = performance.now();
  readonly #peer: string;
  #place: VisitedPlace | null = null;
  #isOver = false;

  constructor(
    private readonly log: Pick<AccessLog, 'passesOver' | 'record' | 'wants'>,
    private readonly hosts: Pick<SiteHosts, 'isOf'>,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#peer = request.socket.remoteAddress ?? '';
    response.once('finish', () => this.#over(true)).once('close', () => this.#over(false));
  }

  /** What it is recorded as: the last that was said before the answer is over; without one it is not. */
  place(place: VisitedPlace) {
    this.#place = place;
  }

  #over(isWhole: boolean) {
    const place = this.#place;
    if (this.#isOver || place === null || !this.log.wants(place)) return;
    this.#isOver = true;
    if (this.log.passesOver(place)) return;
    const { method = '', url = '/', rawHeaders } = this.request;
    const held = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
    this.log.record({
      place,
      // Not the request itself, which would keep its connection in memory.
      request: { method, url, rawHeaders, bytes: held },
      status: this.response.statusCode,
      bytes: bytesOf(this.response, isWhole),
      at: this.#at,
      ms: performance.now() - this.#began,
      peer: this.#peer,
      hosts: this.hosts,
    });
  }
}

function bytesOf(response: ServerResponse, isWhole: boolean): number {
  if (!(response instanceof DrainingResponse)) return 0;
  return isWhole ? response.writtenBytes : response.sentBytes;
}
