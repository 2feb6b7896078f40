import { z } from 'zod';

const MAX_DEPTH = 32;

/** Returns the validation message for a value that the event log cannot store, otherwise null. */
function faultOf(value: unknown, depth = 1): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'must not contain numbers that are too large for a 64-bit float';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  for (const member of Object.values(value)) {
    const fault = faultOf(member, depth + 1);
    if (fault) return fault;
  }
  return null;
}

/** A JSON object with any members, at most 32 levels deep, with finite numbers only. */
export const JsonObject = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const message = faultOf(value);
  if (message) context.addIssue({ code: 'custom', message });
});

/**
 * Replaces lone surrogates, also in keys, with U+FFFD. Canonical JSON does not allow them (RFC 8785 section 3.2.2.2).
 */
export function wellFormed(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormedValue(member)]),
  );
}

function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedValue);
  return typeof value === 'object' && value !== null ? wellFormed({ ...value }) : value;
}
