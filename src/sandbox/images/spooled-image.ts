import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import { formatBytes } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';

/** Name of the manifest in an exported image (Docker Engine API, "Export an image"). */
const MANIFEST = 'manifest.json';
/** Maximum number of files. Each layer has one or two, so no real image reaches this number. */
const MAX_FILES = 2_000;
const MAX_TEXT_BYTES = 4_194_304;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export type SpooledLayer = {
  readonly sha256: string;
  readonly size: number;
  readonly mediaType: string;
  readonly content: () => AsyncIterable<Uint8Array>;
};

/** An image whose parts were checked and stored in files. */
export type SpooledImage = { readonly config: Buffer; readonly layers: readonly SpooledLayer[] };

/**
 * Unpacks and reads an image in Docker’s export format. The image is not trusted: names are only looked up among the
 * unpacked files, and layers must match their digests. Throws if the image is incomplete, or `too_large`.
 */
export async function spoolImage(
  exported: AsyncIterable<Buffer>,
  folder: string,
  mostBytes: number,
): Promise<SpooledImage> {
  const links = await unpack(exported, folder, mostBytes);
  const find = (name: unknown) => join(folder, placeOf(name, links));
  const [image, ...others] = listIn(await textOf(find(MANIFEST)));
  if (typeof image !== 'object' || image === null || others.length > 0)
    throw notWhole('it does not contain exactly one image');
  const config = await textOf(find(Reflect.get(image, 'Config')));
  const digests = diffIds(config);
  const names: unknown = Reflect.get(image, 'Layers');
  if (!Array.isArray(names) || names.length !== digests.length) throw notWhole('layers are missing');
  const layers: SpooledLayer[] = [];
  for (const [at, name] of names.entries()) layers.push(await layerOf(find(name), digests[at] ?? ''));
  return { config, layers };
}

/** Unpacks regular files, and returns the targets of links. */
async function unpack(exported: AsyncIterable<Buffer>, folder: string, mostBytes: number) {
  const links = new Map<string, string>();
  let files = 0;
  const into = extract({
    cwd: folder,
    strict: true,
    noChmod: true,
    preserveOwner: false,
    maxDepth: 8,
    filter: (path, entry) => {
      if (!('type' in entry)) return false;
      if (++files > MAX_FILES) throw notWhole('it has too many files');
      if (entry.type === 'SymbolicLink' || entry.type === 'Link') links.set(path, entry.linkpath ?? '');
      return entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory';
    },
  });
  const failed = new Promise<never>((_, reject) => into.once('error', reject));
  const done = new Promise<void>((resolve) => into.once('close', resolve));
  const writing = (async () => {
    let bytes = 0;
    for await (const piece of exported) {
      bytes += piece.length;
      if (bytes > mostBytes) refuse('too_large', `The image is larger than the limit of ${formatBytes(mostBytes)}.`);
      if (!into.write(piece)) await new Promise<void>((resolve) => into.once('drain', resolve));
    }
    into.end();
    await done;
  })();
  await Promise.race([writing, failed]);
  return links;
}

/** Returns the path of an unpacked file, following at most one link. */
function placeOf(name: unknown, links: ReadonlyMap<string, string>): string {
  if (typeof name !== 'string') throw notWhole('a file has no name');
  const target = links.get(name);
  const path = target === undefined ? name : join(name, '..', target);
  const parts = path.split('/');
  if (path.includes('\0') || parts.some((part) => part === '..' || part === ''))
    throw notWhole('a file is outside the archive');
  return path;
}

async function textOf(path: string): Promise<Buffer> {
  const file = await open(path).catch(() => {
    throw notWhole('a file is missing');
  });
  try {
    const { size } = await file.stat();
    if (size > MAX_TEXT_BYTES) throw notWhole('its metadata is too large');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function listIn(text: Buffer): unknown[] {
  const value = parsed(text);
  return Array.isArray(value) ? value : [];
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    throw notWhole('its metadata is not valid JSON');
  }
}

/** Returns the digests of the uncompressed layers (OCI image configuration, `rootfs.diff_ids`). */
function diffIds(config: Buffer): readonly string[] {
  const value = parsed(config);
  const rootfs: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'rootfs') : null;
  const ids: unknown = typeof rootfs === 'object' && rootfs !== null ? Reflect.get(rootfs, 'diff_ids') : null;
  if (!Array.isArray(ids) || !ids.every((id): id is string => typeof id === 'string' && DIGEST.test(id)))
    throw notWhole('its layers have no digests');
  return ids;
}

const LAYER = 'application/vnd.oci.image.layer.v1.tar';
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function layerOf(path: string, diffId: string): Promise<SpooledLayer> {
  const { size } = await stat(path).catch(() => {
    throw notWhole('a layer is missing');
  });
  const hash = createHash('sha256');
  let start: Buffer | null = null;
  for await (const piece of createReadStream(path)) {
    start ??= piece;
    hash.update(piece);
  }
  const sha256 = hash.digest('hex');
  const begins = (mark: Buffer) => start?.subarray(0, mark.length).equals(mark) ?? false;
  const form = begins(GZIP) ? '+gzip' : begins(ZSTD) ? '+zstd' : '';
  if (form === '' && `sha256:${sha256}` !== diffId) throw notWhole('a layer does not match its digest');
  return { sha256, size, mediaType: `${LAYER}${form}`, content: () => createReadStream(path) };
}

const notWhole = (why: string) => new Error(`The container engine exported an invalid image: ${why}.`);
