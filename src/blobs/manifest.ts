import { hash } from 'node:crypto';

/** One file of a deploy. */
export type ManifestFile = { readonly path: string; readonly sha256: string; readonly size: number };

/** The files of one deploy by path, and its digest. */
export type Manifest = {
  readonly digest: string;
  readonly bytes: number;
  readonly files: ReadonlyMap<string, ManifestFile>;
};

/**
 * A manifest as it is stored: the lines `{sha256} {size} {path}\n`, sorted by the bytes of the path. The SHA-256 of
 * this text is the deploy's digest (contract, section 3), so a manifest is content like any other and names itself.
 */
export function encodeManifest(files: readonly ManifestFile[]): { digest: string; text: Buffer } {
  const sorted = files.toSorted((a, b) => compareBytes(a.path, b.path));
  const text = Buffer.from(sorted.map((file) => `${file.sha256} ${file.size} ${file.path}\n`).join(''));
  return { digest: hash('sha256', text), text };
}

/**
 * Compares two texts by their bytes in UTF-8. JavaScript compares UTF-16 units, which is the same up to U+D7FF, below
 * the surrogates; and nearly every path is.
 */
function compareBytes(a: string, b: string): number {
  if (BEYOND.test(a) || BEYOND.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

const BEYOND = /[\ud800-\uffff]/;

/** Reads what `encodeManifest` wrote. */
export function decodeManifest(digest: string, text: Buffer): Manifest {
  const files = new Map<string, ManifestFile>();
  let bytes = 0;
  for (const line of text.toString('utf8').split('\n')) {
    if (line === '') continue;
    const sha256 = line.slice(0, 64);
    const space = line.indexOf(' ', 65);
    const size = Number(line.slice(65, space));
    const path = line.slice(space + 1);
    files.set(path, { path, sha256, size });
    bytes += size;
  }
  return { digest, bytes, files };
}
