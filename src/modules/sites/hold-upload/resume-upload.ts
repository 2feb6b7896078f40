import { Controller, Delete, Head, HttpCode, Inject, Param, Patch, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiAccess, ApiProblems } from '../../../http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Route } from '../../../http/api/route-options.js';
import { rates } from '../../../http/limits/rates.js';
import { refuse } from '../../../kernel/refusal.js';
import { type HeldUpload, HeldUploads } from '../../../tables/uploads/held-uploads.js';
import { digestIn, Receiving, Uploaded, uploadedOf } from './receiving.js';
import {
  ApiBytes,
  ApiUploadToken,
  bytesIn,
  completeIn,
  PARTIAL,
  progressHeaders,
  progressOf,
  refuseHeader,
} from './upload-headers.js';
import { UploadHolders } from './upload-holders.js';

@ApiTags('Deploy')
@Controller('v1/uploads/:sha256')
export class ResumeUploadController {
  constructor(
    @Inject(UploadHolders) private readonly holders: UploadHolders,
    @Inject(HeldUploads) private readonly uploads: HeldUploads,
    @Inject(Receiving) private readonly receiving: Receiving,
  ) {}

  @ApiOperation({ summary: 'How much of an upload has arrived' })
  @ApiUploadToken()
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'Go on from `upload-offset`.' })
  @ApiAccess('upload')
  @ReadYourWrites()
  @Head()
  @HttpCode(204)
  async uploadProgress(
    @Param('sha256') sha256: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(progressOf(await this.#get(request, sha256)));
  }

  @ApiOperation({
    summary: 'Go on with an upload where it stopped',
    description:
      'In the words of the IETF’s resumable uploads. `upload-offset` is where the body belongs, as HEAD says it; another is 409 with the right one in the same header. Of two that send the same part one is 409.',
  })
  @ApiUploadToken()
  @ApiHeader({
    name: 'upload-offset',
    required: true,
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
    description: 'Bytes that arrived before.',
  })
  @ApiHeader({
    name: 'upload-complete',
    required: true,
    schema: { type: 'string', enum: ['?0', '?1'] },
    description: '`?1` where the content is whole with this body.',
  })
  @ApiBytes(PARTIAL)
  @ApiResponse({ status: 200, standardSchema: Uploaded, description: 'It was whole already.' })
  @ApiResponse({ status: 201, standardSchema: Uploaded, description: 'It is whole.' })
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'This part is kept.' })
  @ApiAccess('upload')
  @ApiProblems('digest_mismatch', 'conflict')
  @Route({ body: 'streamed', rate: rates.uploads })
  @ReadYourWrites()
  @Patch()
  async resumeUpload(
    @Param('sha256') sha256: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Uploaded> | undefined> {
    if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== PARTIAL)
      refuse('unsupported_media_type', `Send ${PARTIAL}.`);
    const upload = await this.#get(request, sha256);
    const offset = bytesIn(request.headers, 'upload-offset') ?? refuseHeader('upload-offset', 'is missing');
    const isLast = completeIn(request.headers) ?? refuseHeader('upload-complete', 'is missing');
    if (offset !== upload.received) {
      void reply.headers(progressOf(upload));
      refuse('conflict', `${upload.received} bytes have arrived: go on from there.`);
    }
    if (upload.complete) return uploadedOf(upload);
    const uploaded = await this.receiving.take(request, reply, upload, isLast);
    void reply.status(uploaded === null ? 204 : 201);
    return uploaded ?? undefined;
  }

  @ApiOperation({ summary: 'Take an upload away', description: 'What a deploy has named stays with the deploy.' })
  @ApiUploadToken()
  @ApiResponse({ status: 204, description: 'It is gone, or was never there.' })
  @ApiAccess('upload')
  @ReadYourWrites()
  @Delete()
  @HttpCode(204)
  async cancelUpload(@Param('sha256') sha256: string, @Req() request: FastifyRequest): Promise<void> {
    await this.uploads.drop({ holder: await this.holders.of(request), sha256: digestIn(sha256) });
  }

  async #get(request: FastifyRequest, sha256: string): Promise<HeldUpload> {
    const upload = await this.uploads.find(await this.holders.of(request), digestIn(sha256));
    return upload ?? refuse('not_found', 'Nothing of this content has arrived.');
  }
}
