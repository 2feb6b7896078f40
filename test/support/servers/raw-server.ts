import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let count = 0;

/**
 * A server on a Unix socket that can send arbitrary bytes. `answer` is called with the connection and the head of each
 * request.
 */
export class RawServer {
  readonly socketPath = join(tmpdir(), `stele-raw-${process.pid}-${++count}.sock`);
  readonly heads: string[] = [];
  connections = 0;
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  private constructor(answer: (socket: Socket, head: string) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#open.delete(socket));
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
          const head = text.slice(0, end + 4);
          text = text.slice(end + 4);
          this.heads.push(head);
          answer(socket, head);
        }
      });
    });
  }

  static async start(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
    const program = new RawServer(answer);
    await rm(program.socketPath, { force: true });
    program.#server.listen(program.socketPath);
    await once(program.#server, 'listening');
    return program;
  }

  get open(): number {
    return this.#open.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
