import { faultText } from '../../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../../kernel/refusal.js';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const LONGEST = 30 * SECONDS.d;

/**
 * Parses `expires` to seconds: digits with `s` (the default), `m`, `h` or `d`, from 1 s to 30 d
 * (docs/interface/publishing.md, "Expiry").
 */
export function expirySeconds(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(digits) * SECONDS[unit as keyof typeof SECONDS];
  if (digits === '' || seconds < 1 || seconds > LONGEST) {
    const fault = { path: 'expires', message: 'must be digits followed by s, m, h or d, from 1s to 30d' };
    refuse('invalid_expires', faultText(fault), [fault]);
  }
  return seconds;
}

/** Returns the time `seconds` after `at`, both RFC 3339. Returns null, for never, if `seconds` is null. */
export function after(at: string, seconds: number): string;
export function after(at: string, seconds: number | null): string | null;
export function after(at: string, seconds: number | null): string | null {
  return seconds === null ? null : new Date(Date.parse(at) + seconds * 1_000).toISOString();
}
