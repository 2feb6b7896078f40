import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { html } from '../../edge/browser/markup.js';
import { Route } from '../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { sendPage, wantsPage, webPage } from '../../edge/http/pages/web-page.js';
import { problems } from '../../edge/http/problems/problem.js';
import { refuse } from '../../kernel/refusal.js';
import { refusalCodes } from '../../kernel/refusals.js';
import type { Feature } from '../../nest/features.js';

const Explained = z
  .object({
    code: z.string(),
    status: z.number().int(),
    title: z.string(),
    detail: z
      .string()
      .meta({ description: 'Meaning of the code. In an error response, `detail` is about the request instead.' }),
    suggestion: z.string().optional(),
    retryable: z.boolean(),
  })
  .meta({ id: 'ErrorCode' });

@ApiTags('About')
@Controller('errors')
class ErrorsController {
  constructor(private readonly urls: ServiceUrls) {}

  @ApiOperation({ summary: 'Explain an error code' })
  @ApiResponse({
    status: 200,
    standardSchema: Explained,
    description: 'Explanation of the error code, as an HTML page for browsers.',
  })
  @ApiExtension('x-also-answers', { 'text/html': { schema: { type: 'string' } } })
  @Route({ problemPages: true })
  @Get(':code')
  explain(@Param('code') text: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const code = refusalCodes.find((known) => known === text);
    if (!code) return refuse('not_found', `“${text.slice(0, 60)}” is not a known error code.`);
    const { status, title, detail, suggestion, retryable = false } = problems[code];
    const explained = { code, status, title, detail, retryable, ...(suggestion && { suggestion }) };
    if (wantsPage(request)) return sendPage(request, reply, this.urls.baseUrl, explanationPage(explained));
    return reply.header('vary', 'accept').send(explained);
  }
}

const explanationPage = ({ code, status, title, detail, suggestion, retryable }: z.output<typeof Explained>) =>
  webPage(
    title,
    html`<p>${detail}</p>
${suggestion ? html`<p>${suggestion}</p>` : null}
<dl class="facts">
<div><dt>Code</dt><dd><code>${code}</code></dd></div>
<div><dt>Status</dt><dd>${status}</dd></div>
<div><dt>Try again</dt><dd>${
      retryable ? 'The same request may succeed later.' : 'Retrying the same request will not help.'
    }</dd></div>
</dl>
<p class="soft">In an error response with this code, <code>detail</code> describes the problem with the request. If there is more to say, the response also has <code>suggestion</code> or <code>errors</code>.</p>`,
  );

export const errors: Feature = { routes: [ErrorsController] };
