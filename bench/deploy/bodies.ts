import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

const BOUNDARY = `----stele${randomBytes(12).toString('hex')}`;
export const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
export const archiveHeaders = { 'content-type': 'application/gzip' };

/** Returns new content. As in a typical site, seven of ten files are text. */
function content(index: number, bytes: number): Buffer {
  if (index % 10 >= 7) return randomBytes(bytes);
  const text = randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
  return Buffer.from(text.replace(/.{76}/g, (line) => `${line.slice(0, 75)}\n`));
}

const kinds = ['html', 'css', 'js', 'json', 'svg', 'txt', 'js', 'png', 'woff2', 'webp'];

/** Returns the files of a new site, `bytes` in total. */
function siteOf(files: number, bytes: number) {
  return Array.from({ length: files }, (_, index) => ({
    path: index === 0 ? 'index.html' : `assets/${index % 40}/file-${index}.${kinds[index % 10]}`,
    bytes: content(index, Math.floor(bytes / files)),
  }));
}

export function form(files: number, bytes: number): Buffer {
  const parts = siteOf(files, bytes).flatMap(({ path, bytes }) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="${path}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Returns a tar.gz as `tar cz .` creates it. */
export function archive(files: number, bytes: number): Buffer {
  const blocks = siteOf(files, bytes).flatMap(({ path, bytes }) => {
    const header = new Header({ path: `./${path}`, type: 'File', size: bytes.length, mode: 0o644, mtime: new Date() });
    header.encode();
    return [header.block ?? Buffer.alloc(0), bytes, Buffer.alloc(-bytes.length & 511)];
  });
  const length = blocks.reduce((sum, block) => sum + block.length, 0) + 1024;
  // tar writes records of twenty blocks.
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024 + ((10_240 - (length % 10_240)) % 10_240))]));
}
