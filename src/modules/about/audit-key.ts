import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { type AuditKey, AuditKeyStore } from '../../accounts/keys/audit-keys.js';
import type { Feature } from '../../nest/features.js';

const Keys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().meta({ description: 'The 32 bytes of the public key, encoded as base64url.' }),
        kid: z.string().meta({
          description: 'Thumbprint of the key (RFC 7638). Appears as `keyId` in a checkpoint and as `keyid` in DSSE.',
        }),
        use: z.literal('sig'),
        madeAt: z.string(),
        retiredAt: z.string().nullable().meta({
          description:
            'Time at which the key was retired, or null if it is in use. A retired key never signs anything dated later than this.',
        }),
      }),
    ),
  })
  .meta({ id: 'AuditKeys', description: 'A JSON Web Key Set (RFC 7517, RFC 8037).' });

@ApiTags('History')
@Controller('.well-known/stele-audit-key')
class AuditKeyController {
  constructor(private readonly keys: AuditKeyStore) {}

  @ApiOperation({
    summary: 'List the public keys for verifying exported histories and provenance statements',
    description: 'Newest first. Retired keys remain listed, so that you can still verify what they signed.',
  })
  @ApiProduces('application/jwk-set+json')
  @ApiResponse({
    status: 200,
    standardSchema: Keys,
    description: 'The keys. Keep a copy, so that you can detect whether a key is ever replaced.',
  })
  @Header('content-type', 'application/jwk-set+json')
  @Get()
  async auditKeys(): Promise<{ keys: readonly AuditKey[] }> {
    return { keys: await this.keys.published() };
  }
}

export const auditKey: Feature = { routes: [AuditKeyController] };
