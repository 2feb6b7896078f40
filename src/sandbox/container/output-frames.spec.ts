import { describe, expect, it } from '@jest/globals';
import { passFrames } from './output-frames.js';

const frame = (stream: 1 | 2, text: string) => {
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

async function* inPieces(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

describe('passFrames', () => {
  it.each([1, 3, 8, 9, 1_000])('container output that arrives in pieces of %i bytes is reassembled', async (size) => {
    const said = { stdout: '', stderr: '' };
    const content = Buffer.concat([frame(1, 'one\n'), frame(2, 'no such module'), frame(1, ''), frame(1, 'two')]);
    await passFrames(inPieces(content, size), async (stream, bytes) => {
      said[stream] += Buffer.from(bytes).toString();
    });
    expect(said).toEqual({ stdout: 'one\ntwo', stderr: 'no such module' });
  });

  it('container output is not read faster than the consumer processes it', async () => {
    const taking = Promise.withResolvers<void>();
    let read = 0;
    async function* counted() {
      for await (const piece of inPieces(Buffer.concat([frame(1, 'one'), frame(1, 'two')]), 11)) {
        read++;
        yield piece;
      }
    }
    const passing = passFrames(counted(), async () => taking.promise);
    await new Promise(setImmediate);
    expect(read).toBe(1);
    taking.resolve();
    await passing;
    expect(read).toBe(2);
  });
});
