import { hash } from 'node:crypto';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { formatBytes, plural } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';

/** What goes in, and what comes out: JSON text, in bytes of UTF-8 (docs/interface/connector.md, "Connector"). */
export const LARGEST_PAYLOAD = 262_144;

/** Of a body in bytes: JSON may write a letter of two bytes in six. */
export const LARGEST_BODY = 3 * LARGEST_PAYLOAD + 4_096;

/** Limit of the object members and array items in a body. */
export const MAX_VALUES = 20_000;

export type Payload = { readonly text: string; readonly digest: string; readonly size: number };

/** A JSON value as it is kept. Refuses with `invalid_request` what JSON cannot say again, and with `too_large`. */
export function payloadOf(value: unknown, path: string): Payload {
  if (hasTooLargeNumber(value))
    refuseInvalid({ path, message: 'must not contain numbers that are too large for a 64-bit float' });
  const text = JSON.stringify(value);
  const size = Buffer.byteLength(text);
  if (size > LARGEST_PAYLOAD)
    refuse(
      'too_large',
      `\`${path}\` has ${plural(size, 'byte')} of JSON; the limit is ${formatBytes(LARGEST_PAYLOAD)}.`,
      [{ path, message: `must not be larger than ${formatBytes(LARGEST_PAYLOAD)} of JSON` }],
    );
  return { text, digest: hash('sha256', text), size };
}

/** `1e999` is JSON, and no number. A body nests so deep at most that this may call itself. */
function hasTooLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.some(hasTooLargeNumber) : Object.values(value).some(hasTooLargeNumber);
}
