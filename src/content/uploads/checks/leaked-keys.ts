import { crc32 } from 'node:zlib';
import { type InspectionFinding, lineAt } from './deploy-warning.js';

/**
 * A few patterns with hardly any false positives. A key in an article about keys can still match, which is why a match
 * only causes a warning.
 */
const KEYS =
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----|\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bgh[oprsu]_[0-9A-Za-z]{36}\b|\bgithub_pat_[0-9A-Za-z_]{82}\b|\bstele_[a-z]{4,12}_[0-9A-Za-z]{49}\b/g;

const NAMES: readonly (readonly [start: string, name: string])[] = [
  ['-----', 'a private key'],
  ['A', 'an AWS access key'],
  ['g', 'a GitHub token'],
  ['s', 'a token for this service'],
];

/** Finds the first text in a file that looks like a secret key. */
export function leakedKeyIn(_path: string, bytes: Buffer): InspectionFinding | null {
  if (!canContainKeys(bytes)) return null;
  const text = bytes.toString('latin1');
  for (const { 0: key, index } of text.matchAll(KEYS)) {
    if (isExample(key)) continue;
    const [, name = 'a key'] = NAMES.find(([start]) => key.startsWith(start)) ?? [];
    return {
      line: lineAt(text, index),
      message: `This looks like ${name}. Anyone who can open the site can read it. If this is a real credential, revoke it.`,
    };
  }
  return null;
}

/**
 * A quick test for the rarest characters of these keys. Hardly any file without a key passes it, so most files cost a
 * fifth of the time that the regular expression above would take.
 */
const canContainKeys = (bytes: Buffer) =>
  bytes.includes('-----BEGIN ') ||
  anyAt(bytes, 'IA', (at) => bytes[at - 2] === code.A) ||
  anyAt(
    bytes,
    // Searching for a number takes a fifth of the time of searching for a string, and scripts contain many underscores.
    code._,
    (at) =>
      (bytes[at - 3] === code.g && bytes[at - 2] === code.h) ||
      (bytes[at - 6] === code.g && bytes[at - 1] === code.b) ||
      (bytes[at - 5] === code.s && bytes[at - 1] === code.e),
  );

/** The characters around the underscore or “IA” in AKIA and ASIA, `gh?_`, `github_` and `stele_`. */
const code = { _: 0x5f, A: 0x41, b: 0x62, e: 0x65, g: 0x67, h: 0x68, s: 0x73 };

function anyAt(bytes: Buffer, what: string | number, isOne: (at: number) => boolean): boolean {
  for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) if (isOne(at)) return true;
  return false;
}

/**
 * Reports whether a key is an example: AWS’s documentation uses one, and a Stele token with a wrong checksum is one.
 */
const isExample = (key: string) =>
  key.endsWith('EXAMPLE') || (key.startsWith('stele_') && checksum(key.slice(0, -6)) !== key.slice(-6));

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Computes the checksum that `makeSecret` appends: CRC-32 in six base62 digits. */
function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit++) {
    text = BASE62.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}
