import { Controller, HttpCode, Inject, Param, Put, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiAccess, ApiProblems } from '../../../http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Route } from '../../../http/api/route-options.js';
import { callerOf } from '../../../http/auth/context.js';
import { rates } from '../../../http/limits/rates.js';
import { refuse } from '../../../kernel/refusal.js';
import { LimitsOfDeploys } from '../../../settings.deploys.js';
import { type HeldUpload, HeldUploads } from '../../../tables/uploads/held-uploads.js';
import { digestIn, Receiving, Uploaded, uploadedOf } from './receiving.js';
import { ApiBytes, ApiUploadToken, bytesIn, completeIn, progressHeaders, refuseHeader } from './upload-headers.js';
import { UploadHolders } from './upload-holders.js';

@ApiTags('Deploy')
@Controller('v1/uploads/:sha256')
export class SendUploadController {
  constructor(
    @Inject(UploadHolders) private readonly holders: UploadHolders,
    @Inject(HeldUploads) private readonly uploads: HeldUploads,
    @Inject(Receiving) private readonly receiving: Receiving,
    @Inject(LimitsOfDeploys) private readonly limits: LimitsOfDeploys,
  ) {}

  @ApiOperation({
    summary: 'Send the content of one file before its deploy',
    description:
      'The body is the bytes whose SHA-256 the address has. They are kept for a day for the caller who sent them: a deploy of theirs names them as `{ path, sha256 }`. With `upload-complete: ?0` it is a first part, and PATCH goes on. Nothing is read where the content is there already. Sent anew, an upload that was not whole begins anew: ask by HEAD, and go on by PATCH.',
  })
  @ApiUploadToken()
  @ApiHeader({
    name: 'upload-complete',
    required: false,
    schema: { type: 'string', enum: ['?0', '?1'] },
    description: '`?0`: more comes by PATCH. `?1` without it.',
  })
  @ApiHeader({
    name: 'upload-length',
    required: false,
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
    description: 'Bytes of the whole content; needed for a first part, and for a body without `content-length`.',
  })
  @ApiBytes('application/octet-stream')
  @ApiResponse({ status: 200, standardSchema: Uploaded, description: 'It was there already.' })
  @ApiResponse({ status: 201, standardSchema: Uploaded, description: 'It is whole.' })
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'This part is kept.' })
  @ApiAccess('upload')
  @ApiProblems('digest_mismatch', 'too_large', 'quota_exceeded', 'not_found', 'conflict')
  @Route({ body: 'streamed', rate: rates.uploads })
  @ReadYourWrites()
  @Put()
  @HttpCode(201)
  async uploadFile(
    @Param('sha256') digest: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Uploaded> | undefined> {
    const sha256 = digestIn(digest);
    const holder = await this.holders.of(request);
    const isLast = completeIn(request.headers) ?? true;
    const size = sizeIn(request, isLast);
    const there = await this.uploads.find(holder, sha256);
    if (there?.complete) return this.#knownAlready(there, size, reply);
    const upload = await this.#begin(request, holder, sha256, size);
    const uploaded = await this.receiving.take(request, reply, upload, isLast);
    if (uploaded === null) void reply.status(204);
    return uploaded ?? undefined;
  }

  #knownAlready(upload: HeldUpload, size: number, reply: FastifyReply) {
    if (upload.size !== size)
      refuse('digest_mismatch', `The content of this digest has ${upload.size} bytes, not ${size}.`);
    void reply.status(200);
    return uploadedOf(upload);
  }

  async #begin(request: FastifyRequest, holder: string, sha256: string, size: number): Promise<HeldUpload> {
    const { fileBytes, deployBytes, files } = this.limits.of(callerOf(request).userId);
    if (size > fileBytes) refuse('too_large', `A file may have ${fileBytes} bytes at most, not ${size}.`);
    const upload = await this.uploads.begin(holder, sha256, size, { files, bytes: deployBytes });
    return (
      upload ??
      refuse(
        'quota_exceeded',
        `${files} files and ${deployBytes} bytes may wait for a deploy. Deploy what is there, or take some away: DELETE /v1/uploads/{sha256}.`,
      )
    );
  }
}

/** What the whole content is declared to have. */
function sizeIn({ headers }: FastifyRequest, isLast: boolean): number {
  const whole = bytesIn(headers, 'upload-length');
  const body = bytesIn(headers, 'content-length');
  if (whole !== null && isLast && body !== null && body !== whole)
    refuseHeader('upload-length', `is ${whole}, and content-length ${body}`);
  const size = whole ?? (isLast ? body : null);
  return size ?? refuseHeader('upload-length', 'is missing: say how many bytes the whole content has');
}
