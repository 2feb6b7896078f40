import type { Socket } from 'node:net';

const LINE_FEED = 0x0a;

/** Resolves to the first line, or to null if the connection ends or the limit is exceeded. Leaves the rest unread. */
export function firstLine(socket: Socket, mostBytes: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let begun: Buffer = Buffer.alloc(0);
  const over = (line: string | null) => {
    socket.off('data', take).off('close', gone).off('end', gone);
    resolve(line);
  };
  const gone = () => over(null);
  const take = (bytes: Buffer) => {
    begun = Buffer.concat([begun, bytes]);
    const end = begun.indexOf(LINE_FEED);
    if (end < 0 && begun.length <= mostBytes) return;
    socket.pause();
    over(end < 0 || end > mostBytes ? null : begun.toString('utf8', 0, end));
    const rest = begun.subarray(end + 1);
    if (end >= 0 && rest.length > 0) socket.unshift(rest);
  };
  socket.on('data', take).on('close', gone).on('end', gone);
  return promise;
}
