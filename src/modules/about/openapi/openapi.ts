import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiETag } from '../../../edge/http/api/description/api-traits.js';
import { hasKnownEtag } from '../../../edge/http/api/known-etag.js';
import { acceptedCodings, type Coding } from '../../../edge/http/negotiation/accept-encoding.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { Description } from './description.js';

type MadeCoding = Extract<Coding, 'br' | 'gzip'>;

const isServed = (coding: Coding): coding is MadeCoding => coding === 'br' || coding === 'gzip';

type ServedCoding = MadeCoding | 'identity';

/** Brotli quality. A higher quality would take ten times as long and save only a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Serializes the API description once, and compresses it once for each content coding, outside the event loop. */
@Injectable()
class ServedDescription {
  #plain: { readonly bytes: Buffer; readonly etag: string } | null = null;
  readonly #coded = new Map<ServedCoding, Promise<Buffer>>();

  constructor(private readonly description: Description) {}

  /**
   * Returns the serialized API description, or null while routes are still being declared. The ETag is weak because the
   * uncompressed and all compressed responses share it.
   */
  read(): { readonly etag: string; readonly in: (coding: ServedCoding) => Promise<Buffer> } | null {
    const document = this.#plain ? null : this.description.read();
    if (document) {
      const bytes = Buffer.from(`${JSON.stringify(document)}\n`);
      this.#plain = { bytes, etag: `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
    }
    if (!this.#plain) return null;
    const { bytes, etag } = this.#plain;
    return { etag, in: (coding) => this.#in(coding, bytes) };
  }

  #in(coding: ServedCoding, plain: Buffer): Promise<Buffer> {
    if (coding === 'identity') return Promise.resolve(plain);
    const known = this.#coded.get(coding);
    if (known) return known;
    const made = coding === 'br' ? promisify(brotliCompress)(plain, BROTLI) : promisify(gzip)(plain);
    this.#coded.set(coding, made);
    return made;
  }
}

@ApiTags('About')
@Controller('openapi.json')
class OpenApiController {
  constructor(private readonly description: ServedDescription) {}

  @ApiOperation({ summary: 'Get the OpenAPI description' })
  @ApiResponse({
    status: 200,
    description: 'The OpenAPI 3.1 description of this API.',
    schema: { type: 'object', additionalProperties: true },
  })
  @ApiResponse({ status: 304, description: 'The description still matches the ETag in `if-none-match`.' })
  @ApiETag()
  @Get()
  async openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { etag, in: bytesIn } = this.description.read() ?? refuse('unavailable');
    void reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=0, must-revalidate' });
    if (hasKnownEtag(request, etag)) return reply.status(304).send();
    const { codings } = acceptedCodings(request.headers['accept-encoding']);
    const coding = codings.find(isServed);
    if (coding) void reply.header('content-encoding', coding);
    return reply.type('application/json; charset=utf-8').send(await bytesIn(coding ?? 'identity'));
  }
}

export const openapi: Feature = { routes: [OpenApiController], providers: [Description, ServedDescription] };
