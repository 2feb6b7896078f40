import { createReadStream } from 'node:fs';
import { CannotCheck, Fault } from './fault.mjs';

/** Maximum length of a line. The service limits events to less than a tenth of it. */
export const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Yields { number, text, ended } for each line, counted from 1, without line feeds. `ended` is false for a last line
 * without a line feed. Keeps only one line and one chunk in memory. Throws a Fault, or CannotCheck.
 */
export async function* linesOf(path) {
  let number = 1;
  let rest = [];
  let length = 0;
  const line = (ended) => ({ number: number++, text: decoded(Buffer.concat(rest, length), number - 1), ended });

  for await (let chunk of chunksOf(path)) {
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a)) {
      keep(chunk.subarray(0, end));
      yield line(true);
      rest = [];
      length = 0;
      chunk = chunk.subarray(end + 1);
    }
    keep(chunk);
  }
  if (length > 0) yield line(false);

  function keep(part) {
    length += part.length;
    if (length > MAX_LINE_BYTES)
      throw new Fault(number, `The line is longer than ${MAX_LINE_BYTES / 1_048_576} MiB, too long for an event.`);
    if (part.length > 0) rest.push(part);
  }
}

async function* chunksOf(path) {
  try {
    yield* createReadStream(path);
  } catch (error) {
    if (!error.syscall) throw error;
    throw new CannotCheck(`Could not read ${path} (${error.code}).`);
  }
}

function decoded(bytes, number) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault(number, 'The line is not valid UTF-8.');
  }
}
