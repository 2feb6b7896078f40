import { setImmediate } from 'node:timers/promises';
import { formatBytes } from '../../kernel/output/quantities.js';
import { MAX_READ_BYTES, READ_IN_A_TURN } from './site-file-limits.js';
import type { WarningCollector } from './site-file-warning.js';

type SiteFileLines = { readonly warnings: WarningCollector; line(written: string, number: number): void; end(): void };

/**
 * Passes the lines of a file to `lines`. Yields to other requests after every few lines. If the file is longer than
 * `MAX_READ_BYTES` bytes, reads only the complete lines before that limit, and adds a warning.
 */
export async function readSiteFile(content: AsyncIterable<Uint8Array>, lines: SiteFileLines): Promise<void> {
  const { text, cut } = await beginningOf(content);
  if (text.includes('\0')) {
    lines.warnings.add(1, 'Ignored, like all other lines, because the file is not UTF-8. Save it as UTF-8.');
    return;
  }
  let number = 1;
  let from = text.startsWith('\ufeff') ? 1 : 0;
  let pause = READ_IN_A_TURN;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    if (end < 0 && cut) break;
    const to = end < 0 ? text.length : end;
    lines.line(text.slice(from, to), number);
    from = to + 1;
    number++;
    if (from > pause) {
      pause = from + READ_IN_A_TURN;
      await setImmediate();
    }
  }
  lines.end();
  if (cut)
    lines.warnings.add(
      number,
      `Ignored from here on: only the first ${formatBytes(MAX_READ_BYTES)} of this file is read.`,
    );
}

async function beginningOf(content: AsyncIterable<Uint8Array>) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_READ_BYTES) break;
  }
  const bytes = Buffer.concat(pieces).subarray(0, MAX_READ_BYTES);
  return { text: decoded(bytes), cut: length > MAX_READ_BYTES };
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, which Windows PowerShell writes when output is redirected with `>`.
 */
function decoded(bytes: Buffer): string {
  const whole = bytes.subarray(0, bytes.length & ~1);
  switch (bytes.toString('latin1', 0, 2)) {
    case '\xff\xfe':
      return whole.toString('utf16le');
    case '\xfe\xff':
      return whole.swap16().toString('utf16le');
    default:
      return bytes.toString('utf8');
  }
}
