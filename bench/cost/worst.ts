// The worst values of an input: the longest, and those with the most combining marks or the most parts. Each is cut to
// the number of bytes that fits.

/** Size of one header or of the URL. Node accepts 16 KiB for the URL and all headers together. */
export const HEAD_BYTES = 15_000;

const filled = (piece: string, bytes: number) =>
  piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece))).slice(0, bytes);

const pieces = [
  'a',
  ' ',
  '9',
  ',',
  ';',
  '=',
  '/',
  '.',
  '-',
  '"',
  '\\',
  '(',
  '[',
  '*',
  '%',
  ':',
  '&',
  'a b ',
  '../',
  '<a ',
  '{"',
];

/** Returns texts that are expensive to process, each of about this many bytes in UTF-8. */
export const worstTexts = (bytes: number): string[] => [
  ...pieces.map((piece) => filled(piece, bytes)),
  `a${'\u0301'.repeat(bytes / 2)}`,
  filled(`a${'\u0316\u0301'.repeat(15)}`, bytes / 2),
  '\u{1f468}\u200d'.repeat(bytes / 7),
  '\u0130\ufb03'.repeat(bytes / 5),
  '\ud800'.repeat(bytes / 3),
];

/** Values for specific headers, in addition to those for all headers. */
const ofHeader = {
  accept: ['text/html;q=0.5,', 'a/b, '],
  'accept-encoding': ['gzip;q=0.1,', 'br, ', '*;q=0,'],
  authorization: ['Bearer ', 'Basic a:'],
  'content-type': ['text/html;', 'multipart/form-data; boundary=a;'],
  cookie: ['stele_session=a; ', 'stele_visitor=a.b; ', 'a=b; ', '; ', '\t; ', '="'],
  'if-match': ['"1", ', 'W/'],
  'if-modified-since': ['Mon, 23 Nov 2026 ', 'GMT'],
  'if-none-match': ['"a", ', 'W/"a",', '" '],
  'if-range': ['"a"'],
  'idempotency-key': ['key-'],
  'last-event-id': ['1', '0'],
  origin: ['http://a.', 'http://['],
  range: ['bytes=0-0,', '0-0,', 'bytes=', '1-,'],
  referer: ['http://a/', 'a?'],
  'sec-fetch-site': ['same-origin'],
  'stele-position': ['9', '0'],
  'user-agent': ['Mozilla/5.0 (', 'a/1 '],
  'x-forwarded-for': ['127.0.0.1, ', '::1,', '1.'],
  'x-svc-edit-token': ['stele_edit_'],
};

/** `[name, value]` for every header that the service reads, at its maximum length. */
export const worstHeaders = Object.entries(ofHeader).flatMap(([name, own]) =>
  [...own, ' ', '\t', 'a', ',', ';', '"', '9', '\xff'].map(
    (piece) => [name, `x${filled(piece, HEAD_BYTES)}x`] as const,
  ),
);

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

/** Returns small but expensive JSON of about this many bytes, whatever the route expects. */
export const worstJson = (bytes: number): string[] => [
  nested('[', ']', bytes / 2),
  `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  `{${Array.from({ length: bytes / 12 }, (_, n) => `"k${n}":1`).join(',')}}`,
  `{${filled('"a":1,', bytes)}"a":1}`,
  `[${filled('{},', bytes)}{}]`,
  '9'.repeat(bytes),
  `{"${filled('a', bytes)}":1}`,
  `{"files":[${filled('{},', bytes)}{}]}`,
  `"${filled('\\u0301', bytes)}`,
];

/** Returns object members with distinct names, of about this many bytes. */
export const manyMembers = (bytes: number, value = '1'): string =>
  Array.from({ length: bytes / (8 + value.length) }, (_, n) => `"k${n.toString(36)}":${value}`).join(',');

/**
 * Returns expensive JSON values, each of about this many bytes and with as many members or items as fit. Some also have
 * the members of `value`.
 */
export function worstValues(bytes: number, value: unknown): string[] {
  const item = JSON.stringify(Array.isArray(value) ? (value[0] ?? 1) : 1);
  const known = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const own = known.map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)},`).join('');
  const list = (each: string) => `[${`${each},`.repeat(bytes / (each.length + 1))}${each}]`;
  return [
    `{${own}${manyMembers(bytes)}}`,
    `{${own}"k":{${manyMembers(bytes)}}}`,
    `{${manyMembers(bytes, '{"a":[1]}')}}`,
    list(item),
    list('1'),
    list('""'),
    list('{"a":1}'),
  ];
}
