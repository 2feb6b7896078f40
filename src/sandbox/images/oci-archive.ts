import { hash } from 'node:crypto';
import { type PackedMember, packTar } from '../archive/tar.js';
import type { SpooledImage } from './spooled-image.js';

const CONFIG = 'application/vnd.oci.image.config.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/**
 * Packs an image as an OCI image layout (OCI Image Format 1.1, "Image Layout"). The same image always gives the same
 * bytes. Docker before version 25 cannot read this layout, so `manifest.json` describes the image in Docker’s own
 * format.
 */
export function ociArchive({ config, layers }: SpooledImage): AsyncGenerator<Uint8Array> {
  const described = { mediaType: CONFIG, digest: digestOf(config), size: config.length };
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: described,
    layers: layers.map(({ mediaType, sha256, size }) => ({ mediaType, digest: `sha256:${sha256}`, size })),
  });
  const index = json({
    schemaVersion: 2,
    manifests: [{ mediaType: MANIFEST, digest: digestOf(manifest), size: manifest.length }],
  });
  const forDocker = json([
    { Config: placeOf(digestOf(config)), RepoTags: null, Layers: layers.map(({ sha256 }) => place(sha256)) },
  ]);
  const texts: readonly (readonly [string, Buffer])[] = [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', index],
    ['manifest.json', forDocker],
    [placeOf(digestOf(manifest)), manifest],
    [placeOf(digestOf(config)), config],
  ];
  const once = new Map(layers.map((layer) => [layer.sha256, layer]));
  const contents = [...once.values()].map(
    ({ sha256, size, content }): PackedMember => ({ path: place(sha256), size, isExecutable: false, content }),
  );
  return packTar([...texts.map(textMember), ...contents]);
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const digestOf = (bytes: Buffer) => `sha256:${hash('sha256', bytes)}`;
const place = (sha256: string) => `blobs/sha256/${sha256}`;
const placeOf = (digest: string) => place(digest.slice('sha256:'.length));

const textMember = ([path, bytes]: readonly [string, Buffer]): PackedMember => ({
  path,
  size: bytes.length,
  isExecutable: false,
  content: async function* () {
    yield bytes;
  },
});
