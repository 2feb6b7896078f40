import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { inject } from 'light-my-request';
import { GivenPositions } from '../../../kernel/positions/given-positions.js';
import { ServiceUrls } from '../api/service-urls.js';
import { type InnerCaller, markInner } from './inner-caller.js';

export type InnerRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: InnerBody;
  /** Aborts when the caller does not wait for the answer any more. */
  readonly signal: AbortSignal;
};

/** A body of a known size that each request can open again. */
export type InnerBody = { readonly size: number; readonly open: () => Readable };

export type InnerAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
};

/** Further than any position that is given out. */
const BEYOND = 10n ** 18n;

/**
 * Asks our own interface without a socket: through every hook, check and limit that a request from outside goes
 * through, for a caller who is known already. So a caller who comes by another protocol is refused, counted and
 * answered the same.
 */
@Injectable()
export class InnerRequests {
  constructor(
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @Inject(GivenPositions) private readonly positions: GivenPositions,
  ) {}

  /**
   * Sees all that was written before, by whichever process: a caller of another protocol sends no position back. Rejects where
   * `signal` aborts; else there is always an answer.
   */
  async ask({ method, path, headers, body, signal }: InnerRequest, caller: InnerCaller): Promise<InnerAnswer> {
    const instance = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    const end = await this.positions.upToEnd(BEYOND);
    const dispatch = (request: IncomingMessage, response: ServerResponse) => {
      markInner(request, caller);
      instance.routing(request, response);
    };
    const answer = await inject(dispatch as Parameters<typeof inject>[0], {
      method,
      url: path,
      headers: {
        ...headers,
        host: new URL(this.urls.baseUrl).host,
        'stele-position': String(end),
        ...(body && { 'content-length': String(body.size) }),
      },
      remoteAddress: caller.address,
      signal,
      ...(body && { payload: body.open() }),
    });
    return { status: answer.statusCode, headers: answer.headers as InnerAnswer['headers'], bytes: answer.rawPayload };
  }
}
