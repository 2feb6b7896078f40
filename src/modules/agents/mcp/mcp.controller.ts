import type { IncomingMessage } from 'node:http';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { All, Controller, Inject, Logger, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '../../../http/api/body/read-body.js';
import { Route } from '../../../http/api/route-options.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import type { InnerCaller } from '../../../http/inner/inner-caller.js';
import { sendProblem } from '../../../http/problems/send-problem.js';
import { LOOPBACK } from '../../../http/server/hosts.js';
import { enforceWriteTimeout } from '../../../http/server/write-timeout.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { ToolCatalogue } from '../tools/tool-catalogue.js';
import { AgentCallers } from './agent-callers.js';
import { AgentServers } from './agent-server.js';
import { type Challenge, challengeHeader, challengeOf, invalidToken } from './challenge.js';
import { faultResponse } from './fault-response.js';
import { protocol, protocolOnNode } from './protocol.js';

/** The most bytes in a message. What is larger goes by prepare_upload. */
const MOST_BYTES = 4_194_304;

/** Streams of subscriptions at once. Nothing here is subscribed to: they are taken because clients may open them. */
const MOST_SUBSCRIPTIONS = 100;

/** MCP by Streamable HTTP, without sessions: each request is answered by itself, whichever process it comes to. */
@ApiExcludeController()
@Controller()
export class McpController {
  readonly #log = new Logger('MCP');
  readonly #callers = new WeakMap<object, InnerCaller>();
  #handler: Promise<McpHttpHandler> | null = null;

  constructor(
    @Inject(AgentCallers) private readonly agents: AgentCallers,
    @Inject(AgentServers) private readonly servers: AgentServers,
    @Inject(ToolCatalogue) private readonly catalogue: ToolCatalogue,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  /** Nothing is open any more: the process stops. */
  async stop(): Promise<void> {
    await (await this.#handler)?.close();
  }

  @Route({ body: 'streamed', grants: true, jsonBytes: MOST_BYTES })
  @All()
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.#assertOrigin(request);
    const caller = await this.agents.of(request).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'unauthenticated')
        return this.#challenge(request, reply, invalidToken(error));
      throw error;
    });
    if (!caller) return;
    const message = await this.#messageIn(request, reply);
    if (message === undefined) return;
    const challenge = challengeOf(message, caller, this.catalogue);
    if (challenge) return void this.#challenge(request, reply, challenge);
    await this.#serve(request, reply, message, caller);
  }

  /**
   * A page that a browser shows on this machine could call a service on it (MCP, "Security Warning" of Streamable HTTP).
   * A service for all takes every origin, as the rest of the interface does: nothing is read here that browsers send by
   * themselves.
   */
  #assertOrigin({ headers: { origin } }: FastifyRequest) {
    if (origin === undefined || !LOOPBACK.has(new URL(this.urls.baseUrl).hostname)) return;
    if (!URL.canParse(origin) || !LOOPBACK.has(new URL(origin).hostname))
      refuse('cross_origin', 'This service only accepts requests from programs and pages on its own machine.');
  }

  #challenge(request: FastifyRequest, reply: FastifyReply, challenge: Challenge): null {
    void reply.header('www-authenticate', challengeHeader(this.urls, challenge));
    sendProblem(request, reply, challenge.refusal, this.urls.baseUrl);
    return null;
  }

  /** The message of a POST; null without one, undefined where the fault was answered. */
  async #messageIn(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (request.method !== 'POST') return null;
    try {
      const message = await readBody(request, request.raw);
      if (Array.isArray(message))
        refuse('invalid_request', 'Batch requests are not supported. Send one message per request.');
      return message ?? null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, body } = faultResponse(error);
      void reply.status(status).type('application/json').send(JSON.stringify(body));
      return undefined;
    }
  }

  async #serve({ raw }: FastifyRequest, reply: FastifyReply, message: unknown, caller: InnerCaller) {
    this.#handler ??= this.#make();
    const handler = await this.#handler;
    const { toNodeHandler } = await protocolOnNode();
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    enforceWriteTimeout(reply.raw);
    const answer = toNodeHandler({
      fetch: (asked, options) => {
        this.#callers.set(asked, caller);
        return handler.fetch(asked, options);
      },
    });
    await answer(raw as IncomingMessage & { method: string; url: string }, reply.raw, message ?? undefined);
  }

  async #make(): Promise<McpHttpHandler> {
    const { createMcpHandler } = await protocol();
    return createMcpHandler(
      ({ requestInfo }) => {
        const caller = requestInfo && this.#callers.get(requestInfo);
        if (!caller) throw new Error('The request has no caller.');
        return this.servers.make(caller);
      },
      {
        onerror: (error) => this.#log.debug(error.message),
        maxRequestBodySize: MOST_BYTES,
        maxSubscriptions: MOST_SUBSCRIPTIONS,
      },
    );
  }
}
