import { hash } from 'node:crypto';

/** One file of a deploy. */
export type ManifestFile = { readonly path: string; readonly sha256: string; readonly size: number };

/** The files of one deploy by path, the digest of the manifest, and the total size of the files. */
export type Manifest = {
  readonly digest: string;
  readonly bytes: number;
  readonly files: ReadonlyMap<string, ManifestFile>;
};

/**
 * Encodes a manifest for storage: lines of `{sha256} {size} {path}\n`, sorted by the bytes of the path. The SHA-256 of
 * the encoded manifest is the deploy’s digest (docs/interface/publishing.md, "Deploy result"). A manifest is therefore
 * stored under its own digest, like any other content.
 */
export function encodeManifest(files: readonly ManifestFile[]): { digest: string; text: Buffer } {
  const sorted = files.some(({ path }) => BEYOND.test(path)) ? byBytes(files) : files.toSorted(byUnits);
  const text = Buffer.from(sorted.map((file) => `${file.sha256} ${file.size} ${file.path}\n`).join(''));
  return { digest: hash('sha256', text), text };
}

/**
 * JavaScript compares UTF-16 code units. For characters up to U+D7FF, just below the surrogates, the resulting order is
 * the same as for UTF-8. Nearly all paths contain only such characters.
 */
const byUnits = (a: ManifestFile, b: ManifestFile) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/**
 * Encodes each path once. Encoding inside the comparison would take half a million conversions for twenty thousand
 * paths.
 */
const byBytes = (files: readonly ManifestFile[]): ManifestFile[] =>
  files
    .map((file) => ({ file, key: Buffer.from(file.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ file }) => file);

const BEYOND = /[\ud800-\uffff]/;

/** Parses a stored manifest. */
export function decodeManifest(digest: string, text: Buffer): Manifest {
  const files = new Map<string, ManifestFile>();
  let bytes = 0;
  for (const line of text.toString('utf8').split('\n')) {
    if (line === '') continue;
    const file = fileOf(line);
    files.set(file.path, file);
    bytes += file.size;
  }
  return { digest, bytes, files };
}

/**
 * Yields the files of a stored manifest, sorted by the bytes of their paths: up to `take` files after the first `skip`.
 * Parses only those files.
 */
export function* parseManifestFiles(text: Buffer, skip = 0, take = Infinity): Generator<ManifestFile, void> {
  for (let at = 0, number = 0; at < text.length && number < skip + take; number++) {
    const end = text.indexOf(LINE_BREAK, at);
    if (number >= skip) yield fileOf(text.toString('utf8', at, end));
    at = end + 1;
  }
}

const LINE_BREAK = 0x0a;

function fileOf(line: string): ManifestFile {
  const space = line.indexOf(' ', 65);
  return { path: line.slice(space + 1), sha256: line.slice(0, 64), size: Number(line.slice(65, space)) };
}
