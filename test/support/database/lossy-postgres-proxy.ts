import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { PoolConfig } from 'pg';

/** A proxy in front of PostgreSQL that can lose a response: the connection breaks when the response arrives. */
export class LossyPostgresProxy {
  lost = 0;
  #word: string | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before({ host = 'localhost', port = 5432 }: PoolConfig): Promise<LossyPostgresProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const network = new LossyPostgresProxy(server);
    server.on('connection', (client) =>
      network.#join(client, host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)),
    );
    return network;
  }

  get address(): PoolConfig {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  /** Loses the response to the next statement whose text or name contains `word`. */
  loses(word: string): void {
    this.#word = word;
  }

  /** Breaks all open connections. New connections are still accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(client: Socket, postgres: Socket) {
    let losing = false;
    for (const socket of [client, postgres]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      if (this.#word !== undefined && bytes.includes(this.#word)) {
        this.#word = undefined;
        losing = true;
      }
      postgres.write(bytes);
    });
    postgres.on('data', (bytes) => {
      if (!losing) return void client.write(bytes);
      this.lost++;
      client.destroy();
    });
    postgres.on('close', () => client.destroy());
    client.on('close', () => postgres.destroy());
  }
}
