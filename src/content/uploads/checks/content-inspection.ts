import { crc32 } from 'node:zlib';
import type { BlobStore } from '../../../storage/blobs/blob-store.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';
import { HeadersFile } from '../../sitefiles/headers-file.js';
import { readSiteFile } from '../../sitefiles/read-site-file.js';
import { RedirectsFile } from '../../sitefiles/redirects-file.js';
import { HEADERS, REDIRECTS } from '../../sitefiles/site-file-limits.js';

/** Returns warnings for ineffective lines in `_redirects` and `_headers`, using the parsers that serve sites. */
export async function siteFileWarnings(
  blobs: BlobStore,
  files: readonly ManifestFile[],
): Promise<readonly DeployWarning[]> {
  const warnings: DeployWarning[] = [];
  for (const [path, lines] of [[REDIRECTS, new RedirectsFile()] as const, [HEADERS, new HeadersFile()] as const]) {
    const file = files.find((each) => each.path === path);
    if (!file) continue;
    await readSiteFile(blobs.stream(file.sha256), lines);
    warnings.push(...lines.warnings.all);
  }
  return warnings;
}

const ROOT_ABSOLUTE_URL = /\s(?:src|href)\s*=\s*["']?\/(?![/\s])/i;

/** Finds a root-relative URL, which does not lead to the site if it is served below the service’s own URL. */
function findRootAbsoluteUrl(path: string, bytes: Buffer): InspectionFinding | null {
  if (!/\.html?$/i.test(path)) return null;
  const text = bytes.toString('latin1');
  const found = ROOT_ABSOLUTE_URL.exec(text);
  if (!found) return null;
  return {
    line: lineAt(text, found.index + 1),
    message: 'URLs that start with / work on the site’s own host, but not under its `pathUrl`.',
  };
}

/** Patterns of keys, with hardly any false positives. An article may match, so a match only causes a warning. */
const KEYS =
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----|\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bgh[oprsu]_[0-9A-Za-z]{36}\b|\bgithub_pat_[0-9A-Za-z_]{82}\b|\bstele_[a-z]{4,12}_[0-9A-Za-z]{49}\b/g;

const NAMES: readonly (readonly [start: string, name: string])[] = [
  ['-----', 'a private key'],
  ['A', 'an AWS access key'],
  ['g', 'a GitHub token'],
  ['s', 'a token for this service'],
];

function findLeakedKey(_path: string, bytes: Buffer): InspectionFinding | null {
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

/** A quick test, which hardly any file without a key passes. It takes a fifth of the time of the patterns. */
const canContainKeys = (bytes: Buffer) =>
  bytes.includes('-----BEGIN ') ||
  anyAt(bytes, 'IA', (at) => bytes[at - 2] === code.A) ||
  anyAt(
    bytes,
    // Searching for a number takes a fifth of the time of a string, and scripts contain many underscores.
    code._,
    (at) =>
      (bytes[at - 3] === code.g && bytes[at - 2] === code.h) ||
      (bytes[at - 6] === code.g && bytes[at - 1] === code.b) ||
      (bytes[at - 5] === code.s && bytes[at - 1] === code.e),
  );

/** Codes of characters in the prefixes of keys: `AKIA`, `ASIA`, `gh?_`, `github_` and `stele_`. */
const code = { _: 0x5f, A: 0x41, b: 0x62, e: 0x65, g: 0x67, h: 0x68, s: 0x73 };

function anyAt(bytes: Buffer, what: string | number, isOne: (at: number) => boolean): boolean {
  for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) if (isOne(at)) return true;
  return false;
}

/** Reports whether a key is an example: AWS’s documented key, or a Stele token with a wrong checksum. */
const isExample = (key: string) =>
  key.endsWith('EXAMPLE') || (key.startsWith('stele_') && checksum(key.slice(0, -6)) !== key.slice(-6));

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Computes the CRC-32 in six base62 digits that `makeSecret` appends. */
function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit++) {
    text = BASE62.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** A possible problem of a deploy that does not cause it to fail. */
export type DeployWarning = { readonly file: string; readonly line?: number; readonly message: string };

/** A warning about a file. Line numbers start at 1. */
export type InspectionFinding = { readonly line: number; readonly message: string };

/** Returns the line of a position. Positions start at 0, lines at 1. */
export const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length;

/** Number of bytes at the start of each file that are inspected. */
const INSPECTED_BYTES = 128 * 1024;
const MAX_WARNINGS_OF_A_KIND = 20;

const INSPECTIONS: readonly ((path: string, bytes: Buffer) => InspectionFinding | null)[] = [
  findLeakedKey,
  findRootAbsoluteUrl,
];

/** Inspects files for likely mistakes, such as leaked keys and broken URLs. Warnings never quote a file. */
export class ContentInspection {
  #warnings: DeployWarning[] = [];
  readonly #counts = new Map<unknown, number>();

  get warnings(): readonly DeployWarning[] {
    return this.#warnings;
  }

  /** Adds a warning that a file was left out. All files in a `__MACOSX` folder share one warning. */
  leftOut(path: string, why: string): void {
    const inFolder = path.replace(/^(\.\/)*__MACOSX\/.*$/s, '__MACOSX/');
    if (this.#warnings.some(({ file }) => file === inFolder)) return;
    this.#warn(this.leftOut, { file: inFolder.slice(0, 1024).toWellFormed(), message: `Left out: ${why}.` });
  }

  /** Inspects a file that has arrived in full. */
  inspect(path: string, chunks: readonly Uint8Array[]): void {
    const text = textOf(chunks);
    if (text === null) return;
    for (const inspection of INSPECTIONS) {
      const found = inspection(path, text);
      if (found) this.#warn(inspection, { file: path, ...found });
    }
  }

  /** Inspects a file that is still arriving. Pass each chunk to `see`, then call `end`. */
  start(path: string) {
    const chunks: Uint8Array[] = [];
    let bytesLeft = INSPECTED_BYTES;
    return {
      see: (chunk: Uint8Array) => {
        if (bytesLeft <= 0) return;
        chunks.push(chunk.subarray(0, bytesLeft));
        bytesLeft -= chunk.length;
      },
      end: () => this.inspect(path, chunks),
    };
  }

  /** Updates the paths in warnings after files were renamed. */
  rename(renamed: (path: string) => string): void {
    this.#warnings = this.#warnings.map((warning) => ({ ...warning, file: renamed(warning.file) }));
  }

  #warn(kind: unknown, warning: DeployWarning): void {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    if (count < MAX_WARNINGS_OF_A_KIND) this.#warnings.push(warning);
  }
}

/** Returns the start of a file, or null if it is binary (contains a zero byte near the start). */
function textOf(chunks: readonly Uint8Array[]): Buffer | null {
  const [first] = chunks;
  if (!first || first.subarray(0, 512).includes(0)) return null;
  const whole = chunks.length === 1 ? first : Buffer.concat(chunks);
  return Buffer.from(whole.buffer, whole.byteOffset, Math.min(whole.length, INSPECTED_BYTES));
}
