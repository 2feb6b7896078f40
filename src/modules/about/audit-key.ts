import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { Feature } from '../../process/nest/features.js';
import { type AuditKey, AuditKeys } from '../../tables/keys/audit-keys.js';

const Keys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().meta({ description: 'The 32 bytes of the public key, base64url.' }),
        kid: z.string().meta({
          description: 'The thumbprint of the key (RFC 7638): `keyId` in a checkpoint, `keyid` in an envelope.',
        }),
        use: z.literal('sig'),
        madeAt: z.string(),
        retiredAt: z.string().nullable().meta({ description: 'Nothing dated later is signed with it.' }),
      }),
    ),
  })
  .meta({ id: 'AuditKeys', description: 'A JSON Web Key Set (RFC 7517, RFC 8037).' });

@ApiTags('History')
@Controller('.well-known/stele-audit-key')
class AuditKeyController {
  constructor(@Inject(AuditKeys) private readonly keys: AuditKeys) {}

  @ApiOperation({
    summary: 'The public keys that exported histories and statements about deploys are signed with',
    description: 'The newest first; older ones stay, so that what they signed can still be checked.',
  })
  @ApiProduces('application/jwk-set+json')
  @ApiResponse({ status: 200, standardSchema: Keys, description: 'Keep a copy: it tells you when a key is another.' })
  @Header('content-type', 'application/jwk-set+json')
  @Get()
  async auditKeys(): Promise<{ keys: readonly AuditKey[] }> {
    return { keys: await this.keys.published() };
  }
}

export const auditKey: Feature = { routes: [AuditKeyController] };
