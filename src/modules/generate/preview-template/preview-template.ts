import { hash } from 'node:crypto';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiETag } from '../../../edge/http/api/description/api-traits.js';
import type { Feature } from '../../../nest/features.js';
import { TemplateLibrary } from '../templates.js';

/**
 * Content security policy of a template's preview, which is served from the service's own origin. It gives the preview
 * an opaque origin and blocks scripts, forms and external resources. Pages of the service can frame it.
 */
const POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

@ApiTags('Generate')
@Controller('v1/code/templates/:name/preview')
class PreviewTemplateController {
  constructor(private readonly templates: TemplateLibrary) {}

  @ApiOperation({
    summary: 'Preview a template',
    description: 'Returns the template filled with example values. The page is sandboxed and runs no scripts.',
  })
  @ApiResponse({ status: 200, description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 304, description: 'The page still matches the ETag in `if-none-match`.' })
  @ApiETag()
  @Get()
  previewTemplate(
    @Param('name') name: string,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ) {
    const html = this.templates.get(name).preview;
    const etag = `"${hash('sha256', html).slice(0, 32)}"`;
    void reply.headers({
      etag,
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-security-policy': POLICY,
    });
    if (known === etag) return reply.status(304).send();
    return reply.type('text/html; charset=utf-8').send(html);
  }
}

export const previewTemplate: Feature = { routes: [PreviewTemplateController] };
