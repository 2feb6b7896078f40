import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import type { Incoming } from './incoming.js';

/**
 * `multipart/form-data`: every part is named `files`, its filename is the path. Parts are handed on as they arrive;
 * nothing is held beyond what the sockets and one part's buffer hold.
 */
export async function* multipartBody(request: IncomingMessage, limits: DeployLimits): AsyncIterable<Incoming> {
  const parts = new Parts();
  const parser = parserFor(request, limits);
  let index = 0;

  parser.on('file', (name, content, filename) => {
    const field = `files[${index++}]`;
    if (name !== 'files') return parts.fail(wrongPart(name));
    if (!filename)
      return parts.fail(
        new Refusal('invalid_path', 'A part has no filename.', [{ path: field, message: 'has no filename' }]),
      );
    // A part that nobody reads any more must not stop the rest, nor end the process with its error.
    content.on('error', () => undefined);
    parts.push({ path: filename, field, content });
  });
  parser.on('field', (name) =>
    parts.fail(
      name === 'files'
        ? new Refusal('invalid_path', 'A part has no filename.', [{ path: 'files', message: 'has no filename' }])
        : wrongPart(name),
    ),
  );
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () => parts.fail(new Refusal('too_many_files', `A deploy may have ${limits.files} files.`)));
  }
  parser.on('error', (error) => parts.fail(malformed(error)));
  parser.on('finish', () => parts.end());
  request.on('error', (error) => parts.fail(error));
  request.on('aborted', () => parts.fail(malformed('the connection was closed')));
  request.pipe(parser);

  try {
    yield* parts.all();
    if (index === 0) refuse('no_files', 'There is no part named “files”.');
  } finally {
    request.unpipe(parser);
    request.resume();
    parser.destroy();
  }
}

function parserFor(request: IncomingMessage, limits: DeployLimits) {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      preservePath: true,
      limits: {
        fieldNameSize: 100,
        fieldSize: 1024,
        fields: 1,
        files: limits.files,
        parts: limits.files + 1,
        headerPairs: 20,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}

const wrongPart = (name: string | undefined): Refusal => {
  const shown = `${name ?? ''}`.slice(0, 100);
  return new Refusal('invalid_request', `A part is named “${shown}”; every part is named “files”.`, [
    { path: shown, message: 'is not “files”' },
  ]);
};

const malformed = (why: unknown) =>
  new Refusal('invalid_request', `The multipart body is malformed: ${why instanceof Error ? why.message : why}.`, [
    { path: 'body', message: 'is not well-formed multipart/form-data' },
  ]);

/** A part that breaks off is a malformed body. */
async function* wellFormed(content: Readable): AsyncIterable<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof Refusal ? error : malformed(error);
  }
}

/** Parts as they come, one at a time. A failure reaches whoever waits for the next part, or reads the present one. */
class Parts {
  readonly #waiting: (Incoming & { content: Readable })[] = [];
  #ended = false;
  #failure: Error | null = null;
  #current: Readable | null = null;
  #wake: () => void = () => undefined;

  push(part: Incoming & { content: Readable }) {
    this.#waiting.push(part);
    this.#wake();
  }

  end() {
    this.#ended = true;
    this.#wake();
  }

  fail(error: Error) {
    this.#failure ??= error;
    this.#current?.destroy(this.#failure);
    for (const part of this.#waiting) part.content.resume();
    this.#wake();
  }

  async *all(): AsyncIterable<Incoming> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const part = this.#waiting.shift();
      if (part) {
        this.#current = part.content;
        yield { ...part, content: wellFormed(part.content) };
      } else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
