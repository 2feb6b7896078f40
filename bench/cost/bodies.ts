// Small but expensive deploy bodies as `{ what, request }`, for POST and for a merge into a site.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { Actor, WorstCase } from './service.ts';

const MARKS = `a${'\u0301'.repeat(400)}`;

export function* worstDeploys({ headers, slug }: Actor): Generator<WorstCase> {
  const post = (what: string, type: string, body: string | Buffer, query = ''): WorstCase => ({
    what,
    request: {
      method: 'POST',
      path: `/v1/deploy${query}`,
      headers: { ...headers, 'content-type': type },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    },
  });
  const merge = (what: string, files: object[]): WorstCase => ({
    what: `merge: ${what}`,
    request: {
      method: 'PATCH',
      path: `/v1/deploy?slug=${slug}&mode=merge`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ files })),
    },
  });
  const files = (count: number, path: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => ({ path: path(n), content: 'x' }));
  const json = (list: object[]) => JSON.stringify({ files: list });

  yield post('html: 8 MB of one line', 'text/html', 'a'.repeat(8_000_000));
  yield post('html: 8 MB of addresses', 'text/html', '<a href="/x">'.repeat(600_000));
  yield post('html: 8 MB that opens and never closes', 'text/html', '<a '.repeat(2_600_000));
  yield post('html: 8 MB like a key', 'text/html', 'AKIA0'.repeat(1_600_000));
  yield post('json: 19,000 files', 'application/json', json(files(19_000, (n) => `f${n}`)));
  yield post('json: folders 32 deep', 'application/json', json(files(4_000, (n) => `${'d/'.repeat(30)}${n}`)));
  yield post('json: paths of marks', 'application/json', json(files(3_000, (n) => `${n}${MARKS}`)));
  yield post(
    'json: names that collide late',
    'application/json',
    json([...files(9_000, (n) => `f${n}`), { path: 'F8999', content: '' }]),
  );
  yield post('json: one path of 4 MB', 'application/json', json([{ path: 'a/'.repeat(2_000_000), content: '' }]));
  yield post(
    'json: digests of nothing',
    'application/json',
    json(Array.from({ length: 19_000 }, (_, n) => ({ path: `f${n}`, sha256: n.toString(16).padStart(64, '0') }))),
  );
  const lines: Record<string, (n: number) => string> = {
    _redirects: (n) => `/${n}/*  /x/${n}  301\n`,
    _headers: (n) => `/${n}/*\n  x-${n}: y\n`,
  };
  for (const [name, line] of Object.entries(lines)) {
    const text = Array.from({ length: 20_000 }, (_, n) => line(n)).join('');
    yield post(`${name}: many lines`, 'application/json', json([{ path: name, content: text }]));
    yield post(
      `${name}: one line of marks`,
      'application/json',
      json([{ path: name, content: `/${'\u0301'.repeat(120_000)} /x` }]),
    );
    yield post(`${name}: blanks`, 'application/json', json([{ path: name, content: ' '.repeat(1_000_000) }]));
  }
  yield post('form: 19,000 parts', 'multipart/form-data; boundary=b', form(19_000));
  yield post('form: a head of 60 KB', 'multipart/form-data; boundary=b', form(1, 'a'.repeat(60_000)));
  yield post(
    'form: boundaries that nearly are',
    'multipart/form-data; boundary=b',
    `--b\r\n\r\n${'\r\n--'.repeat(1_000_000)}`,
  );
  yield post('zip: 16,000 names of 64 KiB', 'application/zip', zipOf(16_000, 65_000, 9_000_000));
  yield post('zip: 19,000 names', 'application/zip', zipOf(19_000, 0));
  yield post('zip: one folder around all', 'application/zip', zipOf(9_000, 0, Infinity, 'site/'));
  yield post('tar: 19,000 names', 'application/gzip', gzipSync(tarOf(19_000)));
  yield post('tar: a name of marks', 'application/gzip', gzipSync(tarWithLongName(`a${'\u0301'.repeat(100_000)}`)));
  yield post('tar: 200 MB of nothing', 'application/gzip', gzipSync(Buffer.alloc(200_000_000)));
  yield merge(
    '9,000 files',
    files(9_000, (n) => `f${n}`),
  );
  yield merge(
    '9,000 deletions',
    Array.from({ length: 9_000 }, (_, n) => ({ path: `f${n}`, delete: true })),
  );
  yield merge('4,500 files and their folders deleted', [
    ...files(4_500, (n) => `d${n}/f`),
    ...Array.from({ length: 4_500 }, (_, n) => ({ path: `f${n}`, delete: true })),
  ]);
}

/** Returns a body in chunks of one byte, as raw HTTP/1.1. */
export const inTinyChunks = (port: number, bytes: number): Buffer =>
  Buffer.from(
    `POST /v1/deploy HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${'1\r\na\r\n'.repeat(bytes)}0\r\n\r\n`,
  );

const form = (parts: number, name = '') =>
  `${Array.from({ length: parts }, (_, n) => `--b\r\ncontent-disposition: form-data; name="files"; filename="f${name}${n}"\r\n\r\nx\r\n`).join('')}--b--\r\n`;

/**
 * Returns a zip of `count` entries, or of as many as fit in `most` bytes. All entries have the same content, and names
 * of `nameBytes` bytes.
 */
function zipOf(count: number, nameBytes: number, most = Infinity, folder = ''): Buffer {
  const content = deflateRawSync('x');
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(crc32('x'), 14);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt32LE(1, 22);
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let written = 0;
  for (let n = 0; n < count && written < most; n++) {
    const name = Buffer.from(`${folder}f${n}`.padEnd(nameBytes, 'a'));
    const head = Buffer.from(local);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 6);
    local.copy(entry, 10, 8, 26);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    pieces.push(head, name, content);
    directory.push(entry, name);
    offset += 30 + name.length + content.length;
    written += 46 + name.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(written, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, ...directory, end]);
}

function tarEntry(name: string, content: Buffer, type = '0'): Buffer {
  const head = Buffer.alloc(512);
  head.write(name.slice(0, 99), 0);
  head.write('0000644\0', 100);
  head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('        ', 148);
  head.write(type, 156);
  head.write('ustar\0' + '00', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const tarOf = (count: number) =>
  Buffer.concat([...Array.from({ length: count }, (_, n) => tarEntry(`f${n}`, Buffer.from('x'))), Buffer.alloc(1_024)]);

const tarWithLongName = (name: string) =>
  Buffer.concat([tarEntry('long', Buffer.from(name), 'L'), tarEntry('x', Buffer.from('x')), Buffer.alloc(1_024)]);
