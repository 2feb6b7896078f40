import { z } from 'zod';
import { refuse } from '../../kernel/refusal.js';
import type { AccessToken } from '../../tables/tokens/access-tokens.js';
import { ShownName } from '../api/schemas/texts.js';

/** What a token is called by people: one line that says what uses it. */
export const TokenName = ShownName.meta({ description: 'For people: what uses it, such as `deploy from main`.' });

export const TokenExpiry = z.iso
  .datetime({ offset: true, error: 'is not a time such as 2026-11-20T10:54:00Z (RFC 3339)' })
  .optional()
  .meta({ description: 'When it ends by itself; left out, it lasts until it is ended.' });

/** An access token, as it is listed. */
export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(['owner', 'editor', 'viewer']).meta({ description: 'The most that it may do on a site.' }),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    lastUsedAt: z.string().optional().meta({ description: 'To the day (UTC). Left out for one that never was used.' }),
  })
  .meta({ id: 'AccessToken' });

export const NewToken = Token.extend({
  token: z.string().meta({ description: 'What the script sends: `Authorization: Bearer …`. It is not shown again.' }),
}).meta({ id: 'NewAccessToken' });

export const tokenAnswer = (token: AccessToken): z.output<typeof Token> => ({
  id: token.tokenId,
  name: token.name,
  role: token.role,
  createdAt: token.createdAt,
  ...(token.expiresAt !== null && { expiresAt: token.expiresAt }),
  ...(token.lastUsedAt !== null && { lastUsedAt: token.lastUsedAt }),
});

/** The time in UTC with milliseconds; null where none was asked for. Refuses with `invalid_request` one that is over at `at`. */
export function expiryOf(asked: string | undefined, at: string): string | null {
  if (asked === undefined) return null;
  const expiresAt = new Date(asked).toISOString();
  if (expiresAt > at) return expiresAt;
  return refuse('invalid_request', 'The token would be over already.', [
    { path: 'expiresAt', message: 'is a time that has passed' },
  ]);
}
