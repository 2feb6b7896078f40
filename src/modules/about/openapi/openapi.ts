import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { Description } from './description.js';

@ApiTags('About')
@Controller('openapi.json')
class OpenApiController {
  constructor(@Inject(Description) private readonly description: Description) {}

  @ApiOperation({ summary: 'This description' })
  @ApiResponse({ status: 200, description: 'OpenAPI 3.1.', schema: { type: 'object', additionalProperties: true } })
  @Get()
  openapi() {
    return this.description.read() ?? refuse('unavailable');
  }
}

export const openapi: Feature = { routes: [OpenApiController], providers: [Description] };
