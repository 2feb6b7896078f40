import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DrainingResponse } from '../../../http/server/draining-response.js';
import type { OnSent } from '../../../http/server/fast-path/cached-response.js';
import { AccessLog } from '../../../kernel/ports/access-log.js';
import type { ServedSite } from '../sites/served-site.js';

/** What a visit is recorded with beside the request itself. */
export type VisitedPlace = {
  readonly siteId: string;
  readonly isCounted: boolean;
  readonly prefixLength: number;
  readonly isHtml: boolean;
};

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
  constructor(@Inject(AccessLog) private readonly log: Pick<AccessLog, 'record'>) {}

  /** For all answers of one address, of which the fast path tells. */
  at({ siteId, isCounted, prefixLength, isHtml }: VisitedPlace): OnSent {
    const { log } = this;
    return ({ method, url, rawHeaders, bytes: heldBytes }, status, bytes, at, ms, peer) =>
      log.record({
        siteId,
        isCounted,
        at,
        method,
        url,
        prefixLength,
        status,
        bytes,
        ms,
        isHtml,
        peer,
        rawHeaders,
        heldBytes,
      });
  }

  /** For one request, before it is answered. */
  watch(request: IncomingMessage, response: ServerResponse): Visit {
    return new Visit(this.log, request, response);
  }
}

/** A request that is being answered: recorded when its answer is over, or its visitor has left, and its place is known. */
export class Visit {
  readonly #at = Date.now();
  readonly #began = performance.now();
  readonly #peer: string;
  #place: VisitedPlace | null = null;
  #isOver = false;

  constructor(
    private readonly log: Pick<AccessLog, 'record'>,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#peer = request.socket.remoteAddress ?? '';
    response.once('finish', this.#over).once('close', this.#over);
  }

  /** The last one counts that is given before the answer is over. */
  place(place: VisitedPlace) {
    this.#place = place;
  }

  readonly #over = () => {
    if (this.#isOver || this.#place === null) return;
    this.#isOver = true;
    const { method = '', url = '/', rawHeaders } = this.request;
    this.log.record({
      ...this.#place,
      at: this.#at,
      method,
      url,
      status: this.response.statusCode,
      bytes: this.response instanceof DrainingResponse ? this.response.sentBytes : 0,
      ms: performance.now() - this.#began,
      peer: this.#peer,
      rawHeaders,
      heldBytes: rawHeaders.reduce((sum, text) => sum + text.length, url.length),
    });
  };
}
