import type { IncomingMessage } from 'node:http';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { All, Controller, Logger, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOT_JSON } from '../../../edge/http/api/body/read-body.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import { ClientAddress, computeNetwork } from '../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { chargeBytes } from '../../../edge/http/limits/take-rate.js';
import { problems } from '../../../edge/http/problems/problem.js';
import { sendProblem } from '../../../edge/http/problems/send-problem.js';
import { LOOPBACK } from '../../../edge/http/server/hosts/hosts.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import type { ContentArguments } from '../tools/content-arguments.js';
import { ToolCatalogue } from '../tools/tool-catalogue.js';
import { type Challenge, challengeHeader, chooseChallenge, invalidToken } from './challenge.js';
import { checkMessage, INVALID_REQUEST } from './check-message.js';
import { McpCallers } from './mcp-callers.js';
import { McpServers } from './mcp-servers.js';
import { MAX_BYTES_BESIDE_FILES, type Message, readMessage } from './message-reader.js';
import { protocol, protocolOnNode } from './protocol.js';

/** Error code of JSON-RPC 2.0 (section 5.1). */
const PARSE_ERROR = -32_700;

/** Error code for transport errors that the MCP library uses too. */
const TRANSPORT_ERROR = -32_000;

function faultResponse({ code, detail, faults }: Refusal) {
  const { status, detail: usual } = problems[code];
  const isSyntax = faults.some(({ message }) => message === NOT_JSON);
  return {
    status,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: isSyntax ? PARSE_ERROR : INVALID_REQUEST,
        message: detail ?? usual,
        data: { code, ...(code === 'too_large' && { suggestion: 'Use prepare_upload for large content.' }) },
      },
    },
  };
}

function notAcceptable(headers: Headers): Response {
  const message = 'The Accept header must contain `application/json` and `text/event-stream`.';
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: TRANSPORT_ERROR, message } },
    { status: 406, headers },
  );
}

/**
 * Maximum number of open subscription streams. Clients can open them, although the server never sends a message on
 * them.
 */
const MAX_SUBSCRIPTIONS = 100;

type Sender = { readonly caller: InnerCaller; readonly content: ContentArguments };

/** MCP over Streamable HTTP without sessions, so that any process can handle any request. */
@ApiExcludeController()
@Controller()
export class McpController implements PreparesToStop {
  readonly #log = new Logger('MCP');
  readonly #senders = new WeakMap<object, Sender>();
  #handler: Promise<McpHttpHandler> | null = null;

  constructor(
    private readonly agents: McpCallers,
    private readonly servers: McpServers,
    private readonly catalogue: ToolCatalogue,
    private readonly urls: ServiceUrls,
    private readonly limits: RateLimits,
    private readonly clientAddress: ClientAddress,
  ) {}

  async prepareToStop(): Promise<void> {
    await (await this.#handler)?.close();
  }

  @Route({ body: 'streamed', grants: true, rate: rates.mcpRequests })
  @All()
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.#assertOrigin(request);
    const caller = await this.agents.of(request).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'unauthenticated')
        return this.#challenge(request, reply, invalidToken(error));
      throw error;
    });
    if (!caller) return;
    const read = await this.#messageIn(request, reply);
    if (!read) return;
    const { message, content } = read;
    const challenge = chooseChallenge(message, caller, this.catalogue);
    if (challenge) return void this.#challenge(request, reply, challenge);
    await this.#serve(request, reply, message, { caller, content });
  }

  /**
   * Refuses requests from other origins if the service runs on the local machine. Otherwise, any page in the browser
   * could call it (MCP, "Security Warning" of Streamable HTTP). A public service accepts every origin, because it reads
   * no credentials that browsers send automatically.
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

  /**
   * Reads the message of a POST request. For other methods, the message is undefined. Resolves to null if the message
   * was invalid and the error response has already been sent.
   */
  async #messageIn(request: FastifyRequest, reply: FastifyReply): Promise<Message | null> {
    if (request.method !== 'POST') return { message: undefined, content: new Map() };
    const network = computeNetwork(this.clientAddress.addressOf(request.raw));
    try {
      const read = await readMessage(request, chargeBytes(reply, this.limits, rates.mcpBytes, network));
      if (Array.isArray(read.message))
        refuse('invalid_request', 'Batch requests are not supported. Send one message per request.');
      const fault = await checkMessage(read.message);
      if (fault === null) return read;
      // Status 200 for invalid parameters, because clients do not read the JSON-RPC error of other responses.
      const { id, ...error } = fault;
      const status = error.code === INVALID_REQUEST ? 400 : 200;
      void reply
        .status(status)
        .type('application/json')
        .send(JSON.stringify({ jsonrpc: '2.0', id, error }));
      return null;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'rate_limited') throw error;
      const { status, body } = faultResponse(error);
      void reply.status(status).type('application/json').send(JSON.stringify(body));
      return null;
    }
  }

  async #serve({ raw }: FastifyRequest, reply: FastifyReply, message: unknown, sender: Sender) {
    this.#handler ??= this.#make();
    const handler = await this.#handler;
    const { toNodeHandler } = await protocolOnNode();
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    enforceWriteTimeout(reply.raw);
    const answer = toNodeHandler({
      fetch: async (asked, options) => {
        this.#senders.set(asked, sender);
        const response = await handler.fetch(asked, options);
        return response.status === 406 ? notAcceptable(response.headers) : response;
      },
    });
    await answer(raw as IncomingMessage & { method: string; url: string }, reply.raw, message);
  }

  async #make(): Promise<McpHttpHandler> {
    const { createMcpHandler } = await protocol();
    return createMcpHandler(
      ({ requestInfo }) => {
        const sender = requestInfo && this.#senders.get(requestInfo);
        if (!sender) throw new Error('The caller of the MCP request is unknown.');
        return this.servers.make(sender.caller, sender.content);
      },
      {
        onerror: (error) => this.#log.debug(error.message),
        maxRequestBodySize: MAX_BYTES_BESIDE_FILES,
        maxSubscriptions: MAX_SUBSCRIPTIONS,
      },
    );
  }
}
