import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyChunks } from '../../../../content/uploads/bodies/body-chunks.js';
import { hold } from '../../../../content/uploads/holding/hold.js';
import { ClientAddress, networkOf } from '../../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { takeBytes } from '../../../../edge/http/limits/take-rate.js';
import { formatNumber, plural } from '../../../../kernel/output/quantities.js';
import { DiskSpace } from '../../../../kernel/ports/outside/disk-space.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { type HeldUpload, HeldUploads } from './held-uploads.js';
import { progressOf } from './upload-headers.js';

export const Uploaded = z
  .object({
    sha256: z.string(),
    size: z.int(),
    expiresAt: z
      .string()
      .meta({ description: 'Time at which this upload expires. Until then, deploys can refer to it.' }),
  })
  .meta({ id: 'Upload' });

/** Returns the digest. Refuses with `not_found` a text that cannot be one. */
export const digestIn = (text: string): string =>
  /^[0-9a-f]{64}$/.test(text)
    ? text
    : refuse('not_found', 'An upload is identified by its SHA-256 digest, in 64 lowercase hexadecimal digits.');

/** Receives the bodies of upload requests. */
@Injectable()
export class Receiving {
  constructor(
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(HeldUploads) private readonly uploads: HeldUploads,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(ClientAddress) private readonly clientAddress: ClientAddress,
    @Inject(DiskSpace) private readonly space: DiskSpace,
  ) {}

  /** Returns the upload if it is complete, otherwise null; the response headers then report its progress. */
  async take(
    request: FastifyRequest,
    reply: FastifyReply,
    upload: HeldUpload,
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
    const network = networkOf(this.clientAddress.addressOf(request.raw));
    await takeBytes(reply, this.limits, rates.uploadBytes, network, coming);
    const body = bodyChunks(request.raw);
    const received = await hold(this.blobs, this.#record, upload, { body, isLast }).catch(async (error) => {
      // Another request was faster: report the offset to resume from, as for a request that starts at a wrong offset.
      const now = error instanceof Refusal && error.code === 'conflict' ? await this.#now(upload) : null;
      if (now) void reply.headers(progressOf(now));
      throw error;
    });
    if (isLast) return uploadedOf(upload);
    void reply.headers(progressOf({ ...upload, received }));
    return null;
  }

  #now = ({ holder, sha256 }: HeldUpload) => this.uploads.find(holder, sha256);

  readonly #record = {
    add: (upload: HeldUpload, at: number, part: string, length: number) => this.uploads.add(upload, at, part, length),
    parts: (upload: HeldUpload) => this.uploads.parts(upload),
    complete: (upload: HeldUpload) => this.uploads.complete(upload),
    drop: (upload: HeldUpload) => this.uploads.drop(upload),
  };
}

export const uploadedOf = ({ sha256, size, expiresAt }: HeldUpload): z.output<typeof Uploaded> => ({
  sha256,
  size,
  expiresAt: expiresAt.toISOString(),
});
