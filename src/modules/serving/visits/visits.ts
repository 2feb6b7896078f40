import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DrainingResponse } from '../../../edge/http/server/draining-response.js';
import type { OnSent } from '../../../edge/http/server/first-handler.js';
import { AccessLog } from '../../traffic/api/access-log.js';
import type { VisitedPlace } from '../../traffic/api/served-request.js';
import { SiteHosts } from '../api/site-hosts.js';
import type { ServedSite } from '../sites/served-site.js';

/**
 * Returns the data about a visited URL that is recorded with each visit. `prefix` is the part of the URL path before
 * the path on the site, such as `/` or `/s/docs/`.
 */
export const buildVisitedPlace = (
  { siteId, capabilities }: ServedSite,
  prefix: string,
  isHtml: boolean,
): VisitedPlace => ({
  siteId,
  isCounted: capabilities.analytics,
  prefixLength: prefix.length - 1,
  isHtml,
});

@Injectable()
export class VisitRecorder {
  constructor(
    @Inject(AccessLog) private readonly log: Pick<AccessLog, 'passesOver' | 'record' | 'wants'>,
    @Inject(SiteHosts) private readonly hosts: Pick<SiteHosts, 'isOf'>,
  ) {}

  /**
   * Returns the callback that records every cached response sent for a URL, or null if visits there are not recorded.
   */
  at(place: VisitedPlace): OnSent | null {
    const { log, hosts } = this;
    if (!log.wants(place)) return null;
    return (request, status, bytes, at, ms, peer) => {
      if (!log.passesOver(place)) log.record({ place, request, status, bytes, at, ms, peer, hosts });
    };
  }

  /** Starts to record a visit. Must be called before the response is sent. */
  watch(request: IncomingMessage, response: ServerResponse): Visit {
    return new Visit(this.log, this.hosts, request, response);
  }
}

/** A visit in progress. It is recorded when its response ends or its visitor disconnects. */
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

  /**
   * Sets the site and URL for which the visit is recorded. The last call before the end of the response counts. Without
   * a call, nothing is recorded.
   */
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
      // Keep only the fields of the request: the request itself would keep its connection in memory.
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
