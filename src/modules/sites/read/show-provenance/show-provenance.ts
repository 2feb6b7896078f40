import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';

const ENVELOPE = 'application/vnd.dsse.envelope.v1+json';

const Envelope = {
  type: 'object',
  required: ['payloadType', 'payload', 'signatures'],
  properties: {
    payloadType: { type: 'string', enum: ['application/vnd.in-toto+json'] },
    payload: { type: 'string', format: 'byte', description: 'In-toto statement with SLSA provenance, base64-encoded.' },
    signatures: {
      type: 'array',
      items: {
        type: 'object',
        required: ['keyid', 'sig'],
        properties: {
          keyid: { type: 'string', description: '`kid` of a key in `/.well-known/stele-audit-key`.' },
          sig: { type: 'string', format: 'byte' },
        },
      },
    },
  },
};

@ApiTags('History')
@Controller('v1/sites/:slug/deploys/:deployId/provenance')
class ShowProvenanceController {
  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'Get a deploy’s provenance',
    description:
      'Returns a signed statement about how a job built the deploy: a DSSE envelope that contains an in-toto statement with SLSA provenance. The statement records the repository, commit, plan, builder, lock file and tools, and the times at which the build started and ended. Its subject is the digest of the deploy. `docs/provenance.md` shows how to verify it. Returns 404 `not_found` for a deploy that was not built by a job.',
  })
  @ApiResponse({
    status: 200,
    content: { [ENVELOPE]: { schema: Envelope } },
    description: 'The signed statement, with the same bytes every time.',
  })
  @ReadYourWrites()
  @Get()
  async provenance(
    @Param('slug') slug: string,
    @Param('deployId') deployId: string,
    @Context() { caller }: CommandContext,
  ): Promise<StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const { provenance } = await this.deploys.get(site.siteId, deployId);
    if (provenance === null)
      return refuse('not_found', 'This deploy has no provenance because it was not built by a job.');
    return new StreamableFile(await this.blobs.read(provenance), { type: ENVELOPE });
  }
}

export const showProvenance: Feature = { routes: [ShowProvenanceController] };
