import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { list } from 'tar';
import { type PackedMember, packTar } from '../archive/tar.js';
import { ociArchive } from './oci-archive.js';
import { spoolImage } from './spooled-image.js';

const file = (path: string, text: string | Buffer): PackedMember => {
  const bytes = Buffer.from(text);
  return {
    path,
    size: bytes.length,
    isExecutable: false,
    content: async function* () {
      yield bytes;
    },
  };
};
const link = (path: string, to: string): PackedMember => ({ path, link: to });
const sha = (bytes: Buffer | string) => hash('sha256', bytes);
const layer = Buffer.from('a layer, not looked into'.repeat(40));
const config = (...layers: Buffer[]) =>
  JSON.stringify({ os: 'linux', rootfs: { type: 'layers', diff_ids: layers.map((each) => `sha256:${sha(each)}`) } });
const manifest = (...layers: string[]) => JSON.stringify([{ Config: 'c.json', RepoTags: ['x:1'], Layers: layers }]);
const whole = [file('l.tar', layer), file('c.json', config(layer)), file('manifest.json', manifest('l.tar'))];

describe('An exported image', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-image-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const spooled = async (members: readonly PackedMember[], most = 1_000_000) => {
    const bytes = await buffer(Readable.from(packTar(members)));
    return spoolImage(Readable.from([bytes.subarray(0, 700), bytes.subarray(700)]), folder, most);
  };
  async function pathsIn(archive: Buffer) {
    const paths: string[] = [];
    const parser = list({ onReadEntry: ({ path }) => void paths.push(path) });
    const ended = new Promise((resolve) => parser.once('end', resolve));
    parser.end(archive);
    await ended;
    return paths;
  }

  it('an image is converted to an archive that Docker and Podman can load, always with the same bytes', async () => {
    const image = await spooled(whole);
    const archive = await buffer(Readable.from(ociArchive(image)));
    const paths = await pathsIn(archive);
    expect(paths.slice(0, 3)).toEqual(['oci-layout', 'index.json', 'manifest.json']);
    expect(paths).toContain(`blobs/sha256/${sha(layer)}`);
    expect(paths).toContain(`blobs/sha256/${sha(config(layer))}`);
    expect((await buffer(Readable.from(ociArchive(image)))).equals(archive)).toBe(true);
  });

  it('the layers of an image can be compressed, and can be links to other layers', async () => {
    const packed = gzipSync(layer);
    const { layers } = await spooled([
      file('a/layer.tar', layer),
      link('b/layer.tar', '../a/layer.tar'),
      file('g.tar', packed),
      file('c.json', config(layer, layer, layer)),
      file('manifest.json', manifest('a/layer.tar', 'b/layer.tar', 'g.tar')),
    ]);
    expect(layers.map(({ sha256 }) => sha256)).toEqual([sha(layer), sha(layer), sha(packed)]);
    expect(layers.map(({ mediaType }) => mediaType.endsWith('+gzip'))).toEqual([false, false, true]);
  });

  it.each([
    [
      'has a layer that does not match its digest',
      [file('l.tar', 'other'), ...whole.slice(1)],
      /does not match its digest/,
    ],
    ['lacks a layer', whole.slice(1), /a layer is missing/],
    [
      'has fewer layers than it declares',
      [...whole.slice(0, 2), file('manifest.json', manifest())],
      /layers are missing/,
    ],
    ['has no description', whole.slice(0, 2), /a file is missing/],
    ['has a description that is not JSON', [file('manifest.json', '{')], /not valid JSON/],
    ['consists of several images', [file('manifest.json', '[{},{}]')], /not contain exactly one image/],
    ['has no digests', [file('c.json', '{}'), file('manifest.json', manifest('l.tar'))], /no digests/],
    [
      'refers to a file outside the archive',
      [...whole.slice(0, 2), file('manifest.json', manifest('../../../../etc/passwd'))],
      /a file is outside the archive/,
    ],
    [
      'has a link that leads out of the archive',
      [link('l.tar', '/etc/passwd'), file('c.json', config(layer)), file('manifest.json', manifest('l.tar'))],
      /outside the archive|missing/,
    ],
  ])('an image is refused if it %s', async (_, members, why) => {
    await expect(spooled(members)).rejects.toThrow(why);
  });

  it('an image is unpacked without links, and only into its own folder', async () => {
    await spooled([link('out', '/tmp'), ...whole]);
    expect((await readdir(folder)).sort()).toEqual(['c.json', 'l.tar', 'manifest.json']);
  });

  it('an image is refused as soon as it is too large', async () =>
    expect(spooled(whole, 1_000)).rejects.toMatchObject({ code: 'too_large' }));
});
