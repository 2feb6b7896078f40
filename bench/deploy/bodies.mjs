import { randomBytes } from 'node:crypto';

const BOUNDARY = `----stele${randomBytes(12).toString('hex')}`;
export const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Content that was never stored before: seven of ten files are text, as in a site, the others are not. */
function content(index, bytes) {
  if (index % 10 >= 7) return randomBytes(bytes);
  const text = randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
  return Buffer.from(text.replace(/.{76}/g, (line) => `${line.slice(0, 75)}\n`));
}

const kinds = ['html', 'css', 'js', 'json', 'svg', 'txt', 'js', 'png', 'woff2', 'webp'];

/** A form with so many files, `bytes` long together. */
export function form(files, bytes) {
  const parts = [];
  for (let index = 0; index < files; index++) {
    const path = index === 0 ? 'index.html' : `assets/${index % 40}/file-${index}.${kinds[index % 10]}`;
    parts.push(
      Buffer.from(
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="${path}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
      ),
      content(index, Math.floor(bytes / files)),
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
