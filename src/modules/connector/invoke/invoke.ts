import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController, ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiEvents, describeStream } from '../../../edge/http/api/description/api-events.js';
import { ApiLinks, buildLinks, fromResponse, linksOnSameSite } from '../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiIdempotencyKey, ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { SiteLookup } from '../../serving/api/site-lookup.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { InvocationResponse } from '../invocation-response.js';
import { MAX_BODY_BYTES, MAX_VALUES } from '../payload.js';
import { DescribedBody } from './invocation-body.js';
import { InvocationCalls } from './invocation-calls.js';
import { InvocationStarter } from './invocation-starter.js';

const Partial = z.object({
  id: z.string(),
  attempt: z.int(),
  output: z.json().meta({ description: 'Any JSON value.' }),
});

@ApiTags('Connector')
@Controller('v1/sites/:slug/connector/invoke')
class InvokeController {
  constructor(
    private readonly hosts: SiteLookup,
    private readonly sites: SiteAccess,
    private readonly calls: InvocationCalls,
  ) {}

  @ApiOperation({
    summary: 'Invoke a site’s connector',
    description:
      'Assigns work to one of the site’s agents and waits for the result. Available to pages of the site, which are identified by their `Origin`, and to callers with a role on the site. With `accept: text/event-stream`, the response is a stream of `partial` events that ends with `succeeded` or `failed`. If no result arrives within `wait` seconds, or within 15 minutes if `wait` is not sent, the stream ends with `queued`.',
  })
  @ApiIdempotencyKey()
  @ApiExtension('x-also-answers', { 'text/event-stream': describeStream('InvocationEvent', 'text/event-stream') })
  @ApiEvents(
    'InvocationEvent',
    {},
    { partial: Partial, succeeded: InvocationResponse, failed: InvocationResponse, queued: InvocationResponse },
  )
  @ApiAccess('anybody')
  @ApiResponse({ status: 200, standardSchema: InvocationResponse, description: 'The invocation succeeded or failed.' })
  @ApiResponse({
    status: 202,
    standardSchema: InvocationResponse,
    description: 'No result arrived within the requested wait.',
  })
  @ApiProblems('capability_disabled', 'no_agent', 'quota_exceeded', 'rate_limited', 'idempotency_key_reused')
  @DescribedBody()
  @Route({ body: 'streamed', jsonBytes: MAX_BODY_BYTES, jsonValues: MAX_VALUES })
  @ApiLinks(
    ...linksOnSameSite({ id: fromResponse('id') }, 'showInvocation'),
    ...buildLinks({ id: fromResponse('id') }, 'reportResult'),
  )
  @Post()
  @HttpCode(200)
  async invokeConnector(
    @Param('slug') slug: string,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = this.hosts.getBySlug(slug);
    await this.#assertCanInvoke(slug, siteId, context, request.headers.origin);
    await this.calls.answer({ siteId, request, reply, context });
  }

  async #assertCanInvoke(
    slug: string,
    siteId: string,
    context: CommandContext,
    origin: string | undefined,
  ): Promise<void> {
    if (origin !== undefined && (await this.hosts.isOrigin(siteId, origin))) return;
    const { userId, editTokenHash } = context.caller;
    if (userId !== null || editTokenHash !== null) return void (await this.sites.getReadable(slug, context));
    if (origin !== undefined) refuse('cross_origin', 'Only this site’s own pages can invoke its connector.');
    refuse('unauthenticated', 'Only this site’s own pages and users with a role on it can invoke its connector.');
  }
}

/** Accepts calls on the site's own hosts from visitors who can see the site. */
@ApiExcludeController()
@Controller('.stele/invoke')
class InvokeOnSiteController {
  constructor(
    private readonly hosts: SiteLookup,
    private readonly calls: InvocationCalls,
  ) {}

  @Route({ body: 'streamed', jsonBytes: MAX_BODY_BYTES, jsonValues: MAX_VALUES, siteHost: true, hidden: true })
  @Post()
  @HttpCode(200)
  async invokeOnSite(
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { host, origin, cookie } = request.headers;
    const { siteId } = await this.hosts.getVisited(host, cookie);
    if (origin !== undefined && !isOfHost(origin, host))
      refuse('cross_origin', 'Only pages on this host can invoke the connector here.');
    await this.calls.answer({ siteId, request, reply, context });
  }
}

const isOfHost = (origin: string, host: string | undefined) =>
  URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();

export const invoke: Feature = {
  routes: [InvokeController, InvokeOnSiteController],
  providers: [InvocationCalls, InvocationStarter],
};
