import { crc32 } from 'node:zlib';
import type { BlobStore } from '../../../storage/blobs/blob-store.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';
import { explainRedirects } from '../../sitefiles/explain-redirects.js';
import { HeadersFile } from '../../sitefiles/headers-file.js';
import { readSiteFile } from '../../sitefiles/read-site-file.js';
import { RedirectsFile } from '../../sitefiles/redirects-file.js';
import { HEADERS, REDIRECTS } from '../../sitefiles/site-file-limits.js';
import { FileAddresses } from './base-path.js';
import { omittedAs } from './omitted-files.js';
import { explainLayout } from './site-layout.js';

/**
 * Returns warnings about ineffective lines in `_redirects` and `_headers`, found by the parsers that serve sites, and
 * about files that have a special meaning on other hosting services.
 */
export async function siteFileWarnings(
  blobs: BlobStore,
  files: readonly ManifestFile[],
): Promise<readonly DeployWarning[]> {
  const [redirects, headers] = [REDIRECTS, HEADERS].map((path) => files.find((each) => each.path === path));
  const [redirectLines, headerLines] = [new RedirectsFile(), new HeadersFile()];
  if (redirects) {
    await readSiteFile(blobs.stream(redirects.sha256), redirectLines);
    const paths = new Set(files.map(({ path }) => path));
    await explainRedirects(redirectLines.redirects, (path) => paths.has(path), redirectLines.warnings);
  }
  if (headers) await readSiteFile(blobs.stream(headers.sha256), headerLines);
  const layout = explainLayout(
    files.map(({ path }) => path),
    redirectLines.redirects,
  );
  return [...redirectLines.warnings.all, ...headerLines.warnings.all, ...layout];
}

export const ROOT_ABSOLUTE_MESSAGE = 'URLs that start with / work on the site’s own host, but not under its `pathUrl`.';

const ROOT_ABSOLUTE_URL = /\s(?:src|href)\s*=\s*["']?\/(?![/\s])/i;

/**
 * Finds a root-relative URL. If the site is served below the service’s own URL, such a URL does not lead to the site.
 */
function findRootAbsoluteUrl(path: string, bytes: Buffer): InspectionFinding | null {
  if (!/\.html?$/i.test(path)) return null;
  const text = bytes.toString('latin1');
  const found = ROOT_ABSOLUTE_URL.exec(text);
  if (!found) return null;
  return {
    line: lineAt(text, found.index + 1),
    message: ROOT_ABSOLUTE_MESSAGE,
  };
}

/**
 * Patterns of keys, with hardly any false positives. A match only causes a warning, because it may be part of an
 * article.
 */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/g],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g],
  ['a GitHub token', /\bgh[oprsu]_[0-9A-Za-z]{36}\b|\bgithub_pat_[0-9A-Za-z_]{82}\b/g],
  ['a token for this service', /\bstele_[a-z]{4,12}_[0-9A-Za-z]{49}\b/g],
  ['a Stripe key', /\b[rs]k_live_[0-9A-Za-z]{24,200}\b/g],
  [
    'a Slack token',
    /\bxox[abeoprs]-[0-9A-Za-z-]{20,200}|\bhooks\.slack\.com\/services\/T\w{6,20}\/B\w{6,20}\/\w{20,40}/g,
  ],
  ['a Google API key', /\bAIza[\w-]{35}\b/g],
  ['an Anthropic key', /\bsk-ant-[a-z]{2,8}\d{2}-[\w-]{80,200}/g],
  ['an OpenAI key', /\bsk-(?:proj|svcacct|admin)-[\w-]{40,200}|\bsk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}\b/g],
  ['an npm token', /\bnpm_[0-9A-Za-z]{36}\b/g],
  ['a GitLab token', /\bglpat-[\w-]{20,60}/g],
  ['a SendGrid key', /\bSG\.[\w-]{22}\.[\w-]{43}\b/g],
];

function findLeakedKey(_path: string, bytes: Buffer): InspectionFinding | null {
  if (!canContainKeys(bytes)) return null;
  const text = bytes.toString('latin1');
  let first: { readonly name: string; readonly index: number } | null = null;
  for (const [name, pattern] of PATTERNS)
    for (const { 0: key, index } of text.matchAll(pattern)) {
      if (isExample(key)) continue;
      if (first === null || index < first.index) first = { name, index };
      break;
    }
  if (first !== null)
    return {
      line: lineAt(text, first.index),
      message: `This looks like ${first.name}. Anyone who can open the site can read it. If this is a real credential, revoke it.`,
    };
  return null;
}

/**
 * Quickly tests whether a file may contain a key. Rules out most files in a fifth of the time that matching all
 * patterns takes.
 */
const canContainKeys = (bytes: Buffer) =>
  bytes.includes('-----BEGIN ') ||
  MARKS.some((mark) => bytes.includes(mark)) ||
  anyAt(bytes, 'IA', (at) => bytes[at - 2] === code.A) ||
  anyAt(
    bytes,
    // Search for a byte instead of a string. Scripts contain many underscores, and searching for a string takes five
    // times as long.
    code._,
    (at) =>
      (bytes[at - 3] === code.g && bytes[at - 2] === code.h) ||
      (bytes[at - 6] === code.g && bytes[at - 1] === code.b) ||
      (bytes[at - 5] === code.s && bytes[at - 1] === code.e),
  );

/**
 * Strings by which `canContainKeys` recognizes keys that it does not test for in a faster way. Few files without keys
 * contain any of them.
 */
const MARKS = [
  'k_live_',
  'xox',
  'hooks.slack.com',
  'AIza',
  'sk-ant-',
  'sk-proj-',
  'sk-svcacct-',
  'sk-admin-',
  'T3BlbkFJ',
  'npm_',
  'glpat-',
  'SG.',
];

/** Codes of characters in the prefixes of keys: `AKIA`, `ASIA`, `gh?_`, `github_` and `stele_`. */
const code = { _: 0x5f, A: 0x41, b: 0x62, e: 0x65, g: 0x67, h: 0x68, s: 0x73 };

function anyAt(bytes: Buffer, what: string | number, isOne: (at: number) => boolean): boolean {
  for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) if (isOne(at)) return true;
  return false;
}

/** Reports whether a key is only an example: AWS’s documented key, or a Stele token with a wrong checksum. */
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
  readonly addresses = new FileAddresses();
  #warnings: DeployWarning[] = [];
  readonly #counts = new Map<unknown, number>();

  get warnings(): readonly DeployWarning[] {
    return this.#warnings;
  }

  /** Adds a warning that a file was left out. All files in the same system folder share one warning. */
  leftOut(path: string, why: string): void {
    const file = omittedAs(path)
      .slice(0, 1024)
      .toWellFormed()
      .replace(/\p{Control}/gu, '\ufffd');
    if (this.#warnings.some((other) => other.file === file)) return;
    this.#warn(this.leftOut, { file, message: `Left out: ${why}.` });
  }

  /** Reports each problem only for the first file, unless the message is about “this file”. */
  warnOnce(path: string, message: string): void {
    if (this.#warnings.some((one) => one.message === message && !/this file/.test(message))) return;
    this.#warn(message, { file: path, message });
  }

  /** Inspects a file that has arrived in full. */
  inspect(path: string, chunks: readonly Uint8Array[]): void {
    const text = textOf(chunks);
    if (text === null) return;
    this.addresses.see(path, text);
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
