import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { packTar } from '../../../src/sandbox/archive/tar.js';

/**
 * Returns the archive in which the service stores a Next.js server. Paths of `assets` are relative to `.next/static`.
 */
export function standaloneOutput(script: string, assets: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const start = { kind: 'next', entry: 'app/server.js', node: null };
  const files: readonly (readonly [string, string | Buffer])[] = [
    ['stele.json', JSON.stringify(start)],
    ['app/.next/BUILD_ID', 'x'],
    ...Object.entries(assets)
      .map(([path, content]) => [`app/.next/static/${path}`, content] as const)
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    ['app/server.js', script],
  ];
  return buffer(Readable.from(packTar(files.map(([path, content]) => member(path, Buffer.from(content))))));
}

const member = (path: string, bytes: Buffer) => ({
  ...{ path, size: bytes.length, isExecutable: false },
  content: async function* () {
    if (bytes.length > 0) yield bytes;
  },
});
