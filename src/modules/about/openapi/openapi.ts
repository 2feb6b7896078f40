import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { Description } from './description.js';

@ApiTags('About')
@Controller('openapi.json')
class OpenApiController {
  constructor(@Inject(Description) private readonly description: Description) {}

  @ApiOperation({ summary: 'Get the OpenAPI description' })
  @ApiResponse({
    status: 200,
    description: 'The OpenAPI 3.1 description of this API.',
    schema: { type: 'object', additionalProperties: true },
  })
  @Get()
  openapi() {
    return this.description.read() ?? refuse('unavailable');
  }
}

export const openapi: Feature = { routes: [OpenApiController], providers: [Description] };
