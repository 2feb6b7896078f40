import { z } from 'zod';
import type { AccessToken } from '../../../accounts/tokens/access-tokens.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { ShownName } from '../api/schemas/texts.js';

export const TokenName = ShownName.meta({ description: 'Display name, such as `deploy from main`.' });

export const TokenExpiry = z.iso
  .datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' })
  .optional()
  .meta({ description: 'Time at which the token expires. Without it, the token is valid until it is revoked.' });

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z
      .enum(['owner', 'editor', 'viewer'])
      .meta({ description: 'Highest role that the token can have on a site.' }),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    lastUsedAt: z
      .string()
      .optional()
      .meta({ description: 'Day (UTC) on which the token was last used. Absent if it has never been used.' }),
  })
  .meta({ id: 'AccessToken' });

export const NewToken = Token.extend({
  token: z.string().meta({ description: 'The token, for `Authorization: Bearer …`. Shown only once.' }),
}).meta({ id: 'CreatedAccessToken' });

export const toTokenResponse = (token: AccessToken): z.output<typeof Token> => ({
  id: token.tokenId,
  name: token.name,
  role: token.role,
  createdAt: token.createdAt,
  ...(token.expiresAt !== null && { expiresAt: token.expiresAt }),
  ...(token.lastUsedAt !== null && { lastUsedAt: token.lastUsedAt }),
});

/**
 * Returns the expiry in UTC with milliseconds, or null if there is none. Refuses a past time with `invalid_request`.
 */
export function parseExpiry(asked: string | undefined, at: string): string | null {
  if (asked === undefined) return null;
  const expiresAt = new Date(asked).toISOString();
  if (expiresAt > at) return expiresAt;
  return refuseInvalid({ path: 'expiresAt', message: 'must be in the future' });
}
