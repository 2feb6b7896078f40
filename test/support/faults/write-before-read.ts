import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends `bytes` bytes of body before reading, as simple clients do. Returns the status, or null if there is no
 * response.
 */
export async function writeBeforeReading(port: number, head: readonly string[], bytes: number): Promise<number | null> {
  const socket = connect(port, '127.0.0.1');
  let lost = false;
  socket.on('error', () => {
    lost = true;
  });
  await once(socket, 'connect');
  socket.pause();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const write = (part: string | Buffer) => new Promise((written) => void socket.write(part, written));
  await write(`${head.join('\r\n')}\r\nhost: localhost:${port}\r\ncontent-length: ${bytes}\r\n\r\n`);
  for (let left = bytes; left > 0 && !lost; left -= piece.length) await write(piece.subarray(0, left));
  if (lost) return null;

  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (text.includes('\r\n\r\n')) socket.destroy();
  });
  socket.resume();
  await once(socket, 'close');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  return status ? Number(status) : null;
}
