import { Controller, Delete, Head, HttpCode, Param, Patch, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiLinks, uploadLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { plural } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { PendingUploadReceiver, parseDigest, toUploaded, Uploaded } from './pending-upload-receiver.js';
import { type PendingUpload, PendingUploadStore } from './pending-uploads.js';
import {
  ApiBytes,
  ApiUploadToken,
  formatUploadProgress,
  PARTIAL,
  parseByteCount,
  parseUploadComplete,
  progressHeaders,
  refuseHeader,
} from './upload-headers.js';
import { UploadHolders } from './upload-holders.js';

@ApiTags('Deploy')
@Controller('v1/uploads/:sha256')
export class ResumeUploadController {
  constructor(
    private readonly holders: UploadHolders,
    private readonly uploads: PendingUploadStore,
    private readonly receiving: PendingUploadReceiver,
  ) {}

  @ApiOperation({ summary: 'Get an upload’s progress' })
  @ApiUploadToken()
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'The progress. Resume from `upload-offset`.' })
  @ApiAccess('upload')
  @ReadYourWrites()
  @Head()
  @HttpCode(204)
  async uploadProgress(
    @Param('sha256') sha256: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(formatUploadProgress(await this.#get(request, sha256)));
  }

  @ApiOperation({
    summary: 'Resume an upload',
    description:
      'Follows the IETF draft “Resumable Uploads for HTTP”. `upload-offset` is the position of the body within the content, as returned by HEAD. Any other offset is refused with 409, and that response’s `upload-offset` header contains the correct one. If two requests send the same part, one of them gets 409.',
  })
  @ApiUploadToken()
  @ApiHeader({
    name: 'upload-offset',
    required: true,
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
    description: 'Number of bytes received so far.',
  })
  @ApiHeader({
    name: 'upload-complete',
    required: true,
    schema: { type: 'string', enum: ['?0', '?1'] },
    description: '`?1` if this body completes the content, `?0` if more parts follow.',
  })
  @ApiBytes(PARTIAL)
  @ApiResponse({ status: 200, standardSchema: Uploaded, description: 'The upload was already complete.' })
  @ApiResponse({ status: 201, standardSchema: Uploaded, description: 'The upload is complete.' })
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'The part has been stored.' })
  @ApiAccess('upload')
  @ApiProblems('digest_mismatch', 'conflict')
  @Route({ body: 'streamed', rate: rates.uploads })
  @ReadYourWrites()
  @ApiLinks(...uploadLinks)
  @Patch()
  async resumeUpload(
    @Param('sha256') sha256: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Uploaded> | undefined> {
    if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== PARTIAL)
      refuse('unsupported_media_type', `Set Content-Type to ${PARTIAL}.`);
    const upload = await this.#get(request, sha256);
    const offset = parseByteCount(request.headers, 'upload-offset') ?? refuseHeader('upload-offset', 'is required');
    const isLast = parseUploadComplete(request.headers) ?? refuseHeader('upload-complete', 'is required');
    if (offset !== upload.received) {
      void reply.headers(formatUploadProgress(upload));
      refuse('conflict', `Received ${plural(upload.received, 'byte')} so far. Resume from this offset.`);
    }
    if (upload.complete) return toUploaded(upload);
    const uploaded = await this.receiving.take(request, reply, upload, isLast);
    void reply.status(uploaded === null ? 204 : 201);
    return uploaded ?? undefined;
  }

  @ApiOperation({
    summary: 'Cancel an upload',
    description: 'Deploys that already use the content keep it.',
  })
  @ApiUploadToken()
  @ApiResponse({ status: 204, description: 'The upload was removed or did not exist.' })
  @ApiAccess('upload')
  @ReadYourWrites()
  @Delete()
  @HttpCode(204)
  async cancelUpload(@Param('sha256') sha256: string, @Req() request: FastifyRequest): Promise<void> {
    await this.uploads.drop({ holder: await this.holders.of(request), sha256: parseDigest(sha256) });
  }

  async #get(request: FastifyRequest, sha256: string): Promise<PendingUpload> {
    const upload = await this.uploads.find(await this.holders.of(request), parseDigest(sha256));
    return upload ?? refuse('not_found', `There is no upload of ${sha256}, or it has expired.`);
  }
}
