import type { UploadedEntry } from '../../../src/content/uploads/bodies/body-chunks.js';

/** Returns the entries of a body, with content as binary strings. */
export async function allOf(body: AsyncIterable<UploadedEntry>) {
  const all: Record<string, unknown>[] = [];
  for await (const one of body) {
    if (!('content' in one)) all.push(one);
    else all.push({ path: one.path, field: one.field, content: (await whole(one.content)).toString('latin1') });
  }
  return all;
}

export async function whole(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Reads the body, which must be refused. Returns the code and errors of the refusal. */
export async function refusalOf(body: () => AsyncIterable<UploadedEntry>) {
  try {
    await allOf(body());
  } catch (error) {
    const { name, code, detail, faults, more } = error as Record<string, unknown>;
    return name === 'Refusal' ? { code, detail, faults, more } : error;
  }
  return null;
}
