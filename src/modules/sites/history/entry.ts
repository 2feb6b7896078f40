import { z } from 'zod';
import { summarizeEvent } from '../../../events/site/site-summary.js';
import type { Recorded } from '../../../kernel/event-store.js';

export const HistoryEntry = z
  .object({
    id: z.string(),
    stream: z.string(),
    revision: z
      .number()
      .int()
      .meta({ description: 'Position of the event in the site’s history, starting at 1 without gaps.' }),
    position: z
      .string()
      .meta({ description: 'Position of the event in the service-wide event log, as a string of digits.' }),
    type: z.string(),
    schema: z.number().int(),
    at: z.string(),
    actor: z.record(z.string(), z.string()).meta({
      description:
        'Who caused the event: `kind`, and for a user also `id`. If a connected app acted for the user, `client` is the name that the app gave itself and `grant` is the ID of its grant. If a script acted, `token` is the ID of its access token and `publisher` is the ID of the trusted publisher that the token came from. History pages and the event stream add the current `name`, which is neither recorded nor hashed: the user’s name, otherwise their email address if the caller can see it in the list of members, otherwise “a member”. It is “a former member” if the account was erased, and `CI “…”` for a script.',
    }),
    summary: z.string(),
    data: z.record(z.string(), z.unknown()),
    hash: z.string(),
    previousHash: z.string().nullable(),
  })
  .meta({
    id: 'HistoryEntry',
    description:
      '`hash` is the SHA-256 of the previous hash (its 64 hexadecimal digits, or nothing for the first event) followed by the canonical JSON (RFC 8785) of { actor, at, data, id, revision, schema, stream, type }, where `actor` has no `name`.',
  });

export function toHistoryEntry(event: Recorded): z.output<typeof HistoryEntry> {
  const { id, stream, revision, position, type, schema, at, actor, stored, hash, previousHash } = event;
  const data: Record<string, unknown> = JSON.parse(stored);
  return {
    id,
    stream,
    revision,
    position: String(position),
    type,
    schema,
    at,
    actor,
    summary: summarizeEvent({ type, schema, data, actor }),
    data,
    hash: hash ?? '',
    previousHash,
  };
}
