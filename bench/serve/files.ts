import { hash } from 'node:crypto';

/** Generates text that compresses about as well as scripts do: words of a small vocabulary, and distinct numbers. */
function script(bytes: number): string {
  const words = 'const return function export import value request answer site path head body if else await new'.split(
    ' ',
  );
  let text = '';
  for (let line = 0; text.length < bytes; line++) {
    const digits = hash('sha256', String(line));
    const word = (at: number) => words[Number.parseInt(digits.slice(at, at + 2), 16) % words.length];
    text += `${word(0)} ${word(2)}${digits.slice(40, 44)} = ${word(4)}(${word(6)}.${word(8)}, '${digits.slice(50, 56)}');\n`;
  }
  return text.slice(0, bytes);
}

/** Generates incompressible bytes, like those of images. */
function noise(bytes: number): Buffer {
  let hex = '';
  for (let n = 0; hex.length < bytes * 2; n++) hex += hash('sha256', `noise ${n}`);
  return Buffer.from(hex.slice(0, bytes * 2), 'hex');
}

/** Files that every contestant serves. */
export const files = {
  'small.html': Buffer.from(script(1_024)),
  'large.png': noise(65_536),
  'app.js': Buffer.from(script(65_536)),
};

/** Ten small files for each of the background sites. */
export const filesOfSite = (site: string) =>
  Array.from({ length: 10 }, (_, n) => ({
    path: n === 0 ? 'index.html' : `page-${n}.html`,
    content: `<h1>${site} ${n}</h1>${script(990)}`.slice(0, 1_024),
  }));
