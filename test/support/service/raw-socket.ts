import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Sends raw bytes. Returns the response when it is complete according to its headers, or when the server has closed the
 * connection.
 */
export function sendRaw(
  port: number,
  bytes: string,
): Promise<{ readonly status: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const end = () => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ status: status ? Number(status) : null, text });
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const head = text.indexOf('\r\n\r\n');
      if (head >= 0 && (length === undefined || text.length >= head + 4 + Number(length))) end();
    });
    // The server may close the connection while this client still writes. The connection is then reset, but the
    // response is valid.
    socket.on('error', () => undefined);
    socket.on('close', end);
    socket.write(bytes, 'latin1');
  });
}

/** Sends only these bytes, and returns the response when the server has closed the connection on its own. */
export const sendRawUntilClosed = (port: number, bytes: string) =>
  heard(port, (socket) => void socket.write(bytes, 'latin1'));

/** Like `sendRawUntilClosed`, but sends each piece in a separate packet if possible. */
export const sendRawInPieces = (port: number, pieces: readonly string[]) =>
  heard(port, async (socket) => {
    socket.setNoDelay(true);
    for (const piece of pieces) {
      socket.write(piece, 'latin1');
      await delay(20);
    }
  });

/** Like `sendRawUntilClosed`, but with `expect: 100-continue`: sends the body when the server requests it. */
export const sendRawAndContinue = (port: number, head: string, body: string) =>
  heard(port, (socket) => {
    socket.write(head, 'latin1');
    socket.once('data', () => socket.write(body, 'latin1'));
  });

/** Sends these bytes, closes the writing side, and returns the response when the server has closed the connection. */
export const sendRawAndEnd = (port: number, bytes: string) => heard(port, (socket) => void socket.end(bytes, 'latin1'));

function heard(port: number, send: (socket: Socket) => unknown): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(text));
    send(socket);
  });
}
