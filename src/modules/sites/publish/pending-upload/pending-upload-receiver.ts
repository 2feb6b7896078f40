import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyChunks } from '../../../../content/uploads/bodies/body-chunks.js';
import { receiveUpload } from '../../../../content/uploads/pending/receive-upload.js';
import { ClientAddress, computeNetwork } from '../../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { takeBytes } from '../../../../edge/http/limits/take-rate.js';
import { formatNumber, plural } from '../../../../kernel/output/quantities.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { DiskSpace } from '../../../../kernel/ports/outside/disk-space.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { type PendingUpload, PendingUploadStore } from './pending-uploads.js';
import { formatUploadProgress } from './upload-headers.js';

export const Uploaded = z
  .object({
    sha256: z.string(),
    size: z.int(),
    expiresAt: z
      .string()
      .meta({ description: 'Time at which this upload expires. Until then, deploys can refer to it.' }),
  })
  .meta({ id: 'Upload' });

/** Returns the digest unchanged. Refuses a malformed digest with `not_found`. */
export const parseDigest = (text: string): string =>
  /^[0-9a-f]{64}$/.test(text)
    ? text
    : refuse(
        'not_found',
        `${quoteId(text)} does not identify an upload. Use the SHA-256 digest of the file, in 64 lowercase hexadecimal digits.`,
      );

@Injectable()
export class PendingUploadReceiver {
  constructor(
    private readonly blobs: BlobStore,
    private readonly uploads: PendingUploadStore,
    private readonly limits: RateLimits,
    private readonly clientAddress: ClientAddress,
    private readonly space: DiskSpace,
  ) {}

  /** Returns the upload if it is complete. Otherwise, returns null and reports the progress in the response headers. */
  async take(
    request: FastifyRequest,
    reply: FastifyReply,
    upload: PendingUpload,
    isLast: boolean,
  ): Promise<z.output<typeof Uploaded> | null> {
    const left = upload.size - upload.received;
    const coming = Number(request.headers['content-length'] ?? left);
    if (coming > left || (isLast && coming < left))
      refuse(
        'digest_mismatch',
        `Expected ${isLast ? '' : 'at most '}${plural(left, 'byte')}, but Content-Length is ${formatNumber(coming)}.`,
      );
    await this.space.assertRoom();
    const network = computeNetwork(this.clientAddress.addressOf(request.raw));
    await takeBytes(reply, this.limits, rates.uploadBytes, network, coming);
    const body = bodyChunks(request.raw);
    const received = await receiveUpload(this.blobs, this.#record, upload, { body, isLast }).catch(async (error) => {
      // If another request stored a part first, report the offset to resume from, as for a wrong offset.
      const now = error instanceof Refusal && error.code === 'conflict' ? await this.#now(upload) : null;
      if (now) void reply.headers(formatUploadProgress(now));
      throw error;
    });
    if (isLast) return toUploaded(upload);
    void reply.headers(formatUploadProgress({ ...upload, received }));
    return null;
  }

  #now = ({ holder, sha256 }: PendingUpload) => this.uploads.find(holder, sha256);

  readonly #record = {
    add: (upload: PendingUpload, at: number, part: string, length: number) =>
      this.uploads.add(upload, at, part, length),
    parts: (upload: PendingUpload) => this.uploads.parts(upload),
    complete: (upload: PendingUpload) => this.uploads.complete(upload),
    drop: (upload: PendingUpload) => this.uploads.drop(upload),
  };
}

export const toUploaded = ({ sha256, size, expiresAt }: PendingUpload): z.output<typeof Uploaded> => ({
  sha256,
  size,
  expiresAt: expiresAt.toISOString(),
});
