import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { inject } from 'light-my-request';
import { GivenPositions } from '../../../kernel/positions/given-positions.js';
import { ServiceUrls } from '../api/service-urls.js';
import { type InnerCaller, markInner } from './inner-caller.js';

export type InnerRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: InnerBody;
  /** Aborts when the caller is no longer waiting. */
  readonly signal: AbortSignal;
};

/** A body of known size that can be opened again for each attempt. */
export type InnerBody = { readonly size: number; readonly open: () => Readable };

export type InnerResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
};

/** A log position greater than any that can be issued. */
const BEYOND = 10n ** 18n;

/**
 * Sends requests to our own API without a socket, for a caller who has already been identified. The same hooks, checks
 * and limits apply as to requests from outside.
 */
@Injectable()
export class InnerRequestSender {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly urls: ServiceUrls,
    private readonly positions: GivenPositions,
  ) {}

  /**
   * Sends a request. The response reflects the newest write of any process, because callers of protocols such as MCP
   * send no position. Rejects only if `signal` aborts.
   */
  async ask({ method, path, headers, body, signal }: InnerRequest, caller: InnerCaller): Promise<InnerResponse> {
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
    return { status: answer.statusCode, headers: answer.headers as InnerResponse['headers'], bytes: answer.rawPayload };
  }
}
