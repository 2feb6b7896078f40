import { Controller, Get, Inject, Param, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BlobStore } from '../../../blobs/blob-store.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Context } from '../../../http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { DeployReader } from '../site/deploy-reader.js';
import { SiteReader } from '../site/site-reader.js';

const ENVELOPE = 'application/vnd.dsse.envelope.v1+json';

const Envelope = {
  type: 'object',
  required: ['payloadType', 'payload', 'signatures'],
  properties: {
    payloadType: { type: 'string', enum: ['application/vnd.in-toto+json'] },
    payload: { type: 'string', format: 'byte', description: 'An in-toto statement with SLSA provenance, in base64.' },
    signatures: {
      type: 'array',
      items: {
        type: 'object',
        required: ['keyid', 'sig'],
        properties: {
          keyid: { type: 'string', description: '`kid` of a key of `/.well-known/stele-audit-key`.' },
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
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(DeployReader) private readonly deploys: DeployReader,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'The signed statement of how a job made a deploy',
    description:
      'A DSSE envelope around an in-toto statement with SLSA provenance: repository, commit, plan, builder, lock file and tools, start and end. Its subject is the digest of the deploy. `docs/provenance.md` shows how to check it. `not_found` for a deploy that no job made.',
  })
  @ApiResponse({ status: 200, content: { [ENVELOPE]: { schema: Envelope } }, description: 'The same bytes each time.' })
  @ReadYourWrites()
  @Get()
  async provenance(
    @Param('slug') slug: string,
    @Param('deployId') deployId: string,
    @Context() { caller }: CommandContext,
  ): Promise<StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const { provenance } = await this.deploys.get(site.siteId, deployId);
    if (provenance === null) return refuse('not_found', 'Nothing was stated of this deploy: no job made it.');
    return new StreamableFile(await this.blobs.read(provenance), { type: ENVELOPE });
  }
}

export const showProvenance: Feature = { routes: [ShowProvenanceController] };
