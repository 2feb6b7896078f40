import { Body, Controller, Header, HttpCode, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { cleanText } from '../../../content/generation/documents/clean-text.js';
import { retitled } from '../../../content/generation/documents/retitled.js';
import type { Template } from '../../../content/generation/templates/template.js';
import { ApiEvents, describeStream } from '../../../edge/http/api/description/api-events.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context, RequireSession } from '../../../edge/http/auth/context.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { takeRate } from '../../../edge/http/limits/take-rate.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import { untilGone } from '../../../edge/http/server/until-gone.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { PageDeploys } from '../../sites/api/page-deploys.js';
import { TemplateLibrary } from '../templates.js';
import { EVENT_STREAM, eventStream } from './event-stream.js';
import { GenerateBody, type GenerateRequest } from './generate.schema.js';
import { PageWriter } from './page-writer.js';

/** Maximum size of a request body. It is large enough for template parameters that contain one or two images. */
const MAX_JSON_BYTES = 524_288;

/**
 * Maximum number of members and items in a request body. A template can have hundreds of items with several fields
 * each.
 */
const MAX_VALUES = 5_000;

/** Size limit of an existing page that the model is asked to change. */
const MAX_BASE_BYTES = 131_072;

const Generated = z
  .object({
    html: z.string().meta({ description: 'Complete HTML of the page.' }),
    source: z.enum(['template', 'model']),
    deploy: z.record(z.string(), z.unknown()).optional().meta({
      description: 'Response of POST /v1/deploy. Present if the page was published.',
      'x-component': 'DeployResult',
    }),
  })
  .meta({ id: 'Generated' });

const Failure = z.looseObject({}).meta({ 'x-component': 'Problem' });

type GeneratedPage = z.output<typeof Generated>;

type WantedPage = {
  readonly body: GenerateRequest;
  readonly context: CommandContext;
  readonly userId: string;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
};

@ApiTags('Generate')
@Controller('v1/code/generate')
class GenerateController {
  constructor(
    private readonly templates: TemplateLibrary,
    private readonly writer: PageWriter,
    private readonly pages: PageDeploys,
    private readonly rateLimits: RateLimits,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Generate a page from a template or a prompt',
    description:
      'With `accept: text/event-stream`, the page is streamed while it is being written: `delta { text }` events, then `done` with the complete response, or `error` with a problem. Only the page in `done` has been checked: it is a complete document, and it loads nothing from other hosts except scripts and style sheets from hosts that the operator allows.',
  })
  @ApiResponse({ status: 200, standardSchema: Generated, description: 'The page, and its deploy if it was published.' })
  @ApiExtension('x-also-answers', { [EVENT_STREAM]: describeStream('GenerateEvent', EVENT_STREAM) })
  @ApiEvents('GenerateEvent', {}, { delta: z.object({ text: z.string() }), done: Generated, error: Failure })
  @ApiProblems(
    'slug_taken',
    'invalid_slug',
    'quota_exceeded',
    'forbidden',
    'deploy_not_found',
    'generation_refused',
    'generation_incomplete',
    'generator_unavailable',
  )
  @ReadYourWrites()
  @Route({ jsonBytes: MAX_JSON_BYTES, jsonValues: MAX_VALUES, rate: rates.generations, tokens: 'of-person' })
  @Header('vary', 'accept')
  @Post()
  @HttpCode(200)
  async generate(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: GenerateBody }) body: GenerateRequest,
    @RequireSession() { userId }: Session,
    @Context() context: CommandContext,
  ): Promise<GeneratedPage | StreamableFile> {
    const pieces = this.#make({ body, context, userId, reply, signal: untilGone(reply.raw) });
    const offered = ['application/json', EVENT_STREAM] as const;
    if (preferredType(request.headers.accept, [...offered]) === EVENT_STREAM)
      return eventStream(request, reply, pieces, this.urls.baseUrl);
    for (;;) {
      const next = await pieces.next();
      if (next.done) return next.value;
    }
  }

  /**
   * Generates the page, and deploys it if requested. If the deploy is not allowed, refuses the request before
   * generating the page.
   */
  async *#make(wanted: WantedPage): AsyncGenerator<string, GeneratedPage> {
    const { body, context, userId, reply } = wanted;
    if (!body.deploy) return yield* this.#page(wanted);
    const slug = body.slug ?? null;
    await takeRate(reply, this.rateLimits, rates.deploys, userId, async () => undefined);
    try {
      await this.pages.assertCanPublish(context, slug);
      const page = yield* this.#page(wanted);
      const message = MESSAGES[page.source];
      const { body: deploy, headers } = await this.pages.publish(context, { html: page.html, slug, message });
      if (!reply.raw.headersSent) void reply.headers(headers);
      return { ...page, deploy: deploy as Record<string, unknown> };
    } catch (error) {
      // Nothing was deployed, so undo the charge to the deploy limit. The charges for pages and prompts remain.
      await this.rateLimits.giveBack(rates.deploys, userId);
      throw error;
    }
  }

  async *#page(wanted: WantedPage): AsyncGenerator<string, GeneratedPage> {
    const { template, parameters = {}, title } = wanted.body;
    const html = template === undefined ? yield* this.#written(wanted) : this.#templateOf(template).fill(parameters);
    return {
      html: title === undefined ? html : retitled(html, cleanText(title)),
      source: template === undefined ? 'model' : 'template',
    };
  }

  async *#written({ body, context, userId, reply, signal }: WantedPage): AsyncGenerator<string, string> {
    const { prompt = '', title = null, base } = body;
    this.writer.assertModel();
    const page = base === undefined ? null : await this.pages.readPage(context, base, MAX_BASE_BYTES);
    const counted = await this.writer.count(userId, (seconds) => void reply.header('retry-after', String(seconds)));
    return yield* this.writer.write({ prompt, title, base: page }, counted, signal);
  }

  #templateOf = (name: string): Template =>
    this.templates.find(name) ??
    refuseInvalid({ path: 'template', message: 'must be the name of a template; GET /v1/code/templates lists them' });
}

/** Messages of deploys. They say how the page was generated, without quoting the prompt. */
const MESSAGES = { template: 'Generated from a template', model: 'Generated from a prompt' } as const;

const tool = mcpTool({
  name: 'generate_page',
  title: 'Generate a page from a template or a prompt',
  description:
    'Generates one HTML page, either from `template` and `parameters` (GET /v1/code/templates lists the templates and their schemas) or from `prompt` with the service’s model. With `deploy: true`, the page is published: as a new site, or, if `slug` is a site that the user can edit, as its new live deploy (rollback undoes that). Requires sign-in.',
  scope: 'publish',
  needs: 'person',
  effect: 'replaces',
  isIdempotent: false,
  route: { method: 'POST', path: '/v1/code/generate', body: GenerateBody },
  answer: Generated,
  say: ({ html, source, deploy }) =>
    `Generated a page of ${plural(html.length, 'character')} with the ${source}${deploy ? `, live at ${deploy.url}` : ', not published'}.`,
});

export const generate: Feature = { routes: [GenerateController], providers: [PageWriter], tools: [tool] };
