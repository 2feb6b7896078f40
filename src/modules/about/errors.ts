import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { problems } from '../../edge/http/problems/problem.js';
import { refuse } from '../../kernel/refusal.js';
import { refusalCodes } from '../../kernel/refusals.js';
import type { Feature } from '../../nest/features.js';

const Explained = z
  .object({
    code: z.string(),
    status: z.number().int(),
    title: z.string(),
    suggestion: z.string().optional(),
    retryable: z.boolean(),
  })
  .meta({ id: 'ErrorCode' });

@ApiTags('About')
@Controller('errors')
class ErrorsController {
  @ApiOperation({ summary: 'Explain an error code' })
  @ApiResponse({ status: 200, standardSchema: Explained, description: 'Explanation of the error code.' })
  @Get(':code')
  explain(@Param('code') text: string): z.output<typeof Explained> {
    const code = refusalCodes.find((known) => known === text);
    if (!code) return refuse('not_found', `“${text.slice(0, 60)}” is not a known error code.`);
    const { status, title, suggestion, retryable = false } = problems[code];
    return { code, status, title, retryable, ...(suggestion && { suggestion }) };
  }
}

export const errors: Feature = { routes: [ErrorsController] };
