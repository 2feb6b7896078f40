import { Controller, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiLinks, uploadLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { readCaller } from '../../../../edge/http/auth/context.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { formatBytes, formatExcess, formatNumber, plural } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { LimitsOfDeploys } from '../../../../settings/deploy-settings.js';
import { PendingUploadReceiver, parseDigest, toUploaded, Uploaded } from './pending-upload-receiver.js';
import { type PendingUpload, PendingUploadStore } from './pending-uploads.js';
import {
  ApiBytes,
  ApiUploadToken,
  parseByteCount,
  parseUploadComplete,
  progressHeaders,
  refuseHeader,
} from './upload-headers.js';
import { UploadHolders } from './upload-holders.js';

@ApiTags('Deploy')
@Controller('v1/uploads/:sha256')
export class SendUploadController {
  constructor(
    private readonly holders: UploadHolders,
    private readonly uploads: PendingUploadStore,
    private readonly receiving: PendingUploadReceiver,
    private readonly limits: LimitsOfDeploys,
  ) {}

  @ApiOperation({
    summary: 'Upload a file’s content before deploying it',
    description:
      'The body is the content whose SHA-256 digest is in the URL. It is kept for 24 hours, and the same caller’s deploys can refer to it as `{ path, sha256 }`. With `upload-complete: ?0`, the body is only the first part, and PATCH sends the rest. If the content has already been uploaded, the body is not read. Another PUT for an incomplete upload starts it over; to resume it instead, get its progress with HEAD and continue with PATCH.',
  })
  @ApiUploadToken()
  @ApiHeader({
    name: 'upload-complete',
    required: false,
    schema: { type: 'string', enum: ['?0', '?1'] },
    description: '`?0` if the rest of the content follows in PATCH requests. Defaults to `?1`.',
  })
  @ApiHeader({
    name: 'upload-length',
    required: false,
    schema: { type: 'string', pattern: '^\\d{1,15}$' },
    description:
      'Size of the whole content in bytes. Required for a first part, and for a body without `content-length`.',
  })
  @ApiBytes('application/octet-stream')
  @ApiResponse({ status: 200, standardSchema: Uploaded, description: 'The content had already been uploaded.' })
  @ApiResponse({ status: 201, standardSchema: Uploaded, description: 'The upload is complete.' })
  @ApiResponse({ status: 204, headers: progressHeaders, description: 'The part has been stored.' })
  @ApiAccess('upload')
  @ApiProblems('digest_mismatch', 'too_large', 'quota_exceeded', 'not_found', 'conflict')
  @Route({ body: 'streamed', rate: rates.uploads })
  @ReadYourWrites()
  @ApiLinks(...uploadLinks)
  @Put()
  @HttpCode(201)
  async uploadFile(
    @Param('sha256') digest: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Uploaded> | undefined> {
    const sha256 = parseDigest(digest);
    const holder = await this.holders.of(request);
    const isLast = parseUploadComplete(request.headers) ?? true;
    const size = sizeIn(request, isLast);
    const there = await this.uploads.find(holder, sha256);
    if (there?.complete) return this.#knownAlready(there, size, reply);
    const upload = await this.#begin(request, holder, sha256, size);
    const uploaded = await this.receiving.take(request, reply, upload, isLast);
    if (uploaded === null) void reply.status(204);
    return uploaded ?? undefined;
  }

  #knownAlready(upload: PendingUpload, size: number, reply: FastifyReply) {
    if (upload.size !== size)
      refuse(
        'digest_mismatch',
        `The content with this digest has ${plural(upload.size, 'byte')}, not ${formatNumber(size)}.`,
      );
    void reply.status(200);
    return toUploaded(upload);
  }

  async #begin(request: FastifyRequest, holder: string, sha256: string, size: number): Promise<PendingUpload> {
    const { fileBytes, deployBytes, files } = this.limits.of(readCaller(request).userId);
    if (size > fileBytes)
      refuse('too_large', `The file is ${formatExcess(size, fileBytes).join(', but the limit for a file is ')}.`);
    const upload = await this.uploads.begin(holder, sha256, size, { files, bytes: deployBytes });
    return (
      upload ??
      refuse(
        'quota_exceeded',
        `Uploads that are not deployed yet are limited to ${plural(files, 'file')} and ${formatBytes(deployBytes)}. Deploy them, or cancel some with DELETE /v1/uploads/{sha256}.`,
      )
    );
  }
}

/** Returns the declared size of the complete content in bytes. */
function sizeIn({ headers }: FastifyRequest, isLast: boolean): number {
  const whole = parseByteCount(headers, 'upload-length');
  const body = parseByteCount(headers, 'content-length');
  if (whole !== null && isLast && body !== null && body !== whole)
    refuseHeader('upload-length', `must equal Content-Length (${body}) when the upload is complete`);
  const size = whole ?? (isLast ? body : null);
  return size ?? refuseHeader('upload-length', 'is required and must be the size of the whole content in bytes');
}
