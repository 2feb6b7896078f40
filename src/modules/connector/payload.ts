import { hash } from 'node:crypto';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { formatBytes, formatExcess } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';

/** Maximum size of input and of output as JSON, in UTF-8 bytes (docs/interface/connector.md, "Connector"). */
export const MAX_PAYLOAD_BYTES = 262_144;

/**
 * JSON can encode a character of two bytes in six bytes (`\u00e9`), so a body can be three times as long as its
 * payload.
 */
export const MAX_BODY_BYTES = 3 * MAX_PAYLOAD_BYTES + 4_096;

/** Maximum number of object members and array items in a body. */
export const MAX_VALUES = 15_000;

export type Payload = { readonly text: string; readonly digest: string; readonly size: number };

/**
 * Returns the stored form of a JSON value. Refuses with `invalid_request` if JSON can't represent it, or `too_large`.
 */
export function parsePayload(value: unknown, path: string): Payload {
  if (hasTooLargeNumber(value))
    refuseInvalid({ path, message: 'must not contain numbers that are too large for a 64-bit float' });
  const text = JSON.stringify(value);
  const size = Buffer.byteLength(text);
  if (size > MAX_PAYLOAD_BYTES)
    refuse(
      'too_large',
      `\`${path}\` is ${formatExcess(size, MAX_PAYLOAD_BYTES).join(' of JSON, but the limit is ')}.`,
      [{ path, message: `must not be larger than ${formatBytes(MAX_PAYLOAD_BYTES)} of JSON` }],
    );
  return { text, digest: hash('sha256', text), size };
}

/**
 * Reports whether a number in the value is infinite: `1e999` is valid JSON but too large for a number. Recursion is
 * safe because the depth of bodies is limited.
 */
function hasTooLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTooLargeNumber);
  // With thousands of members, `for…in` takes half as long as `Object.values`. It is safe here, because values from
  // `JSON.parse` inherit no enumerable members.
  for (const name in value) if (hasTooLargeNumber(value[name as keyof typeof value])) return true;
  return false;
}
