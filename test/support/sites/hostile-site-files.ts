/**
 * Approximate size of the generated files. It exceeds the 256 KiB of `_redirects` and `_headers` that the service
 * reads.
 */
const SIZE = 300_000;

const full = (line: (n: number) => string) => {
  const lines: string[] = [];
  for (let n = 0, length = 0; length < SIZE; n++) {
    const next = line(n);
    lines.push(next);
    length += next.length + 1;
  }
  return lines.join('\n');
};

const long = (what: string, length = 7_900) => what.repeat(Math.floor(length / what.length));
const names = (count: number) => Array.from({ length: count }, (_, n) => `/:p${n.toString(36)}`).join('');

const paths: readonly (readonly [string, (n: number) => string])[] = [
  ['short paths', (n) => `/${n}`],
  ['the same path', () => '/a'],
  ['everything', () => '/*'],
  ['deep paths', () => long('/a', 7_000)],
  ['deep paths that differ at the end', (n) => `${long('/a', 7_000)}${n}`],
  ['too deep placeholders', () => names(1_500)],
  ['deep placeholders', () => names(64)],
  ['deep paths that are allowed', (n) => `${'/a'.repeat(63)}/${n}`],
  [
    'placeholders between letters',
    (n) =>
      Array.from({ length: 64 }, (_, at) => `/${'a'.repeat(50)}:p${at}${'a'.repeat(50)}`)
        .join('')
        .concat(`${n}`),
  ],
  ['many stars', () => `/${long('*a', 7_000)}`],
  ['stars in every segment', () => long('/*', 7_000)],
  ['a star after much', () => `${long('/a', 7_000)}/*`],
  ['encoded letters', () => `/${long('%61', 7_000)}`],
  ['broken encoding', () => `/${long('%', 7_000)}`],
  ['colons', () => `/${long(':', 7_000)}`],
  ['accents to be put together', () => `/e${long('\u0301', 3_000)}`],
];

export const hostileRedirects: readonly (readonly [string, string])[] = [
  ...paths.map(([name, path]) => [name, full((n) => `${path(n)} /to/:splat/${n}`)] as const),
  ['redirects that lead back', full(() => '/* /:splat')],
  ['destinations full of placeholders', full(() => `/* /${long(':splat')}`)],
  ['as many placeholders as there may be', full(() => `/* /${':splat'.repeat(16)}`)],
  ['query parameters', full((n) => `/a ${Array.from({ length: 700 }, (_, at) => `${at}=:p${at}`).join(' ')} /${n}`)],
  ['one query parameter each', full((n) => `/* a=${n} /to`)],
  ['blanks', full(() => `/a${long(' \t')}/b`)],
  ['nothing but blanks', ' '.repeat(3_000_000)],
  ['nothing but line ends', '\n'.repeat(SIZE)],
  ['one line', `/${'a'.repeat(3_000_000)}`],
  ['number signs', full(() => `/a ${long('# ')}`)],
  ['bytes', full((n) => `\0\u0001\ufffd${n}`)],
];

export const hostileHeaders: readonly (readonly [string, string])[] = [
  ...paths.map(([name, path]) => [`${name}, with headers`, full((n) => `${path(n)}\n a: :splat`)] as const),
  ['one path with everything', `/*\n${full((n) => `x${n}: :splat`)}`],
  ['the same header', `/*\n${full(() => 'x: 1')}`],
  ['values full of placeholders', `/*\n${full((n) => `x${n}: ${long(':splat')}`)}`],
  ['long values', full((n) => `/*\nx${n}: ${long('v')}`)],
  ['lines without a path', full((n) => `x${n}: 1`)],
  ['names taken away', `/*\n${full((n) => `! x${n}`)}`],
  ['no lines', ':'.repeat(3_000_000)],
];

/** Paths of the maximum length that match as much as possible of the hostile rules. */
export const hostilePaths: readonly string[] = [
  'a',
  long('a/', 15_000),
  'a'.repeat(15_000),
  '/'.repeat(15_000),
  long('aaxaa/', 15_000),
  `e${'\u0301'.repeat(1_700)}`,
  '%'.repeat(5_000),
];
