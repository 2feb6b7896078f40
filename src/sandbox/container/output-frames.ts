import type { OnOutput } from '../../kernel/ports/outside/builder.js';

/** Length of a frame header: stream, three zero bytes, frame length (Docker Engine API, "Attach to a container"). */
const HEAD = 8;
const STDERR = 2;

/** Passes a container’s output to `onOutput` in pieces. Waits until each piece has been processed. */
export async function passFrames(from: AsyncIterable<Buffer>, onOutput: OnOutput): Promise<void> {
  let head: Buffer = Buffer.alloc(0);
  let stream: 'stdout' | 'stderr' = 'stdout';
  let left = 0;
  for await (const piece of from) {
    for (let rest = piece; rest.length > 0; ) {
      if (left > 0) {
        const bytes = rest.subarray(0, left);
        left -= bytes.length;
        rest = rest.subarray(bytes.length);
        await onOutput(stream, bytes);
        continue;
      }
      const missing = HEAD - head.length;
      head = Buffer.concat([head, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (head.length < HEAD) continue;
      stream = head[0] === STDERR ? 'stderr' : 'stdout';
      left = head.readUInt32BE(4);
      head = Buffer.alloc(0);
    }
  }
}
