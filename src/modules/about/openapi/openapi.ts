import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasKnownEtag } from '../../../edge/http/api/known-etag.js';
import { acceptedCodings } from '../../../kernel/accept-encoding.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { Description } from './description.js';
import { isServed, ServedDescription } from './served-description.js';

@ApiTags('About')
@Controller('openapi.json')
class OpenApiController {
  constructor(@Inject(ServedDescription) private readonly description: ServedDescription) {}

  @ApiOperation({ summary: 'Get the OpenAPI description' })
  @ApiResponse({
    status: 200,
    description: 'The OpenAPI 3.1 description of this API.',
    schema: { type: 'object', additionalProperties: true },
  })
  @ApiResponse({ status: 304, description: 'The description still matches the ETag in `if-none-match`.' })
  @Get()
  async openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { etag, in: bytesIn } = this.description.read() ?? refuse('unavailable');
    void reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=0, must-revalidate' });
    if (hasKnownEtag(request, etag)) return reply.status(304).send();
    const { codings } = acceptedCodings(request.headers['accept-encoding']);
    const coding = codings.find(isServed);
    if (coding) void reply.header('content-encoding', coding);
    return reply.type('application/json; charset=utf-8').send(await bytesIn(coding ?? 'identity'));
  }
}

export const openapi: Feature = { routes: [OpenApiController], providers: [Description, ServedDescription] };
