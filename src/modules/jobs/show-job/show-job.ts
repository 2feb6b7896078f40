import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Addresses } from '../../../http/api/service-urls.js';
import { By } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Feature } from '../../../process/nest/features.js';
import { JobReader } from './job-reader.js';
import { JobSnapshot, snapshotOf } from './snapshot.js';

@ApiTags('Jobs')
@Controller('v1/jobs/:id')
class ShowJobController {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {}

  @ApiOperation({ summary: 'A job as it stands' })
  @ApiResponse({ status: 200, standardSchema: JobSnapshot, description: 'The job.' })
  @ReadYourWrites()
  @Get()
  async getJob(@Param('id') id: string, @By() { caller }: Given) {
    return snapshotOf(await this.reader.getFor(id, caller), this.addresses);
  }
}

export const showJob: Feature = { routes: [ShowJobController], providers: [JobReader] };
