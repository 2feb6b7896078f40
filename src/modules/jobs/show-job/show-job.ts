import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { JobReader } from './job-reader.js';
import { JobSnapshot, sayJob, toJobSnapshot } from './snapshot.js';

@ApiTags('Jobs')
@Controller('v1/jobs/:id')
class ShowJobController {
  constructor(
    private readonly reader: JobReader,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'Get a job' })
  @ApiResponse({ status: 200, standardSchema: JobSnapshot, description: 'The job.' })
  @ReadYourWrites()
  @Get()
  async getJob(@Param('id') id: string, @Context() { caller }: CommandContext) {
    return toJobSnapshot(await this.reader.getFor(id, caller), this.urls);
  }
}

const tool = mcpTool({
  name: 'get_job',
  title: 'Get a job',
  description:
    'Returns a job’s status, steps and plan and, once the job has ended, the site’s URL or the error. To wait until the job ends, use watch_job.',
  scope: 'read',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/jobs/:jobId', takes: ['editToken'] },
  answer: JobSnapshot,
  say: sayJob,
});

export const showJob: Feature = { routes: [ShowJobController], providers: [JobReader], tools: [tool] };
