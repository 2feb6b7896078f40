import { hash } from 'node:crypto';

export type ManifestFile = { readonly path: string; readonly sha256: string; readonly size: number };

/** The files of one deploy by path, the digest of its manifest, and the total size of the files. */
export type Manifest = {
  readonly digest: string;
  readonly bytes: number;
  readonly files: ReadonlyMap<string, ManifestFile>;
};

/**
 * Encodes lines of `{sha256} {size} {path}\n`, sorted by path in byte order. The SHA-256 of the text is the deploy’s
 * digest (docs/interface/publishing.md, "Deploy result") and the digest under which the manifest is stored.
 */
export function encodeManifest(files: readonly ManifestFile[]): { digest: string; text: Buffer } {
  const sorted = files.some(({ path }) => BEYOND.test(path)) ? byBytes(files) : files.toSorted(byUnits);
  const text = Buffer.from(sorted.map((file) => `${file.sha256} ${file.size} ${file.path}\n`).join(''));
  return { digest: hash('sha256', text), text };
}

/** Compares paths by UTF-16 units. Up to U+D7FF, which covers nearly all paths, this is also the order in UTF-8. */
const byUnits = (a: ManifestFile, b: ManifestFile) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** Encodes each path only once. Comparing 20,000 paths would otherwise need half a million conversions. */
const byBytes = (files: readonly ManifestFile[]): ManifestFile[] =>
  files
    .map((file) => ({ file, key: Buffer.from(file.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ file }) => file);

const BEYOND = /[\ud800-\uffff]/;

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

/** Yields up to `take` files after the first `skip`, in byte order of their paths. Parses only the yielded files. */
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
