import { Controller, Get, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../wiring/features.js';
import { Description } from './description.js';

@ApiExcludeController()
@Controller('openapi.json')
class OpenApiController {
  constructor(@Inject(Description) private readonly description: Description) {}

  @Get()
  describe() {
    return this.description.read() ?? refuse('unavailable');
  }
}

export const openapi: Feature = { routes: [OpenApiController], providers: [Description] };
