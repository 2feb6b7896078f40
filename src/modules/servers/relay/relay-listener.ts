import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { alreadyGone } from '../../../kernel/faults/ignored-fault.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { ServerWorker } from '../api/server-row.js';
import { OtherWorkerError, type SupervisedUse, Supervisor } from '../supervise/supervisor.js';
import { firstLine } from './first-line.js';
import { RelayKey } from './relay-key.js';
import { RemoteServerUse } from './remote-server-use.js';
import { useMessages } from './use-messages.js';

const FIRST_LINE_MS = 5_000;
const LINE_BYTES = 4_096;
const MAX_CONNECTIONS = 50_000;

export const wantedServer = z.strictObject({
  siteId: z.string(),
  slug: z.string(),
  deployId: z.string(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['next', 'container']),
  isTrusted: z.boolean().exactOptional(),
});

/**
 * Lets other processes of the service use the servers of this process. The first line of a connection is one of:
 * - `use {server} {signature}`: starts a use, which ends with the connection. The response is `ready {json}`, which
 * contains a key, or `refused {json}`. Each byte that follows the line is one of `useMessages`.
 * - The key of a current use: connects to the server.
 */
@Injectable()
export class RelayListener {
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.#take(socket));
  readonly #open = new Set<Socket>();
  /** Current uses of this process's servers, by the key that the other process received. */
  readonly #uses = new Map<string, RemoteServerUse>();

  constructor(
    private readonly supervisor: Supervisor,
    private readonly key: RelayKey,
    private readonly urls: ServiceUrls,
  ) {}

  /** Starts to accept connections. Returns the address to which other processes connect. */
  async listen(host: string): Promise<NonNullable<ServerWorker['place']>> {
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return { host: /^(0\.0\.0\.0|::)$/.test(host) ? ownAddress() : host, port };
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  async #take(socket: Socket): Promise<void> {
    this.#open.add(socket);
    socket.on('error', alreadyGone).once('close', () => this.#open.delete(socket));
    const late = setTimeout(() => socket.destroy(), FIRST_LINE_MS);
    const line = await firstLine(socket, LINE_BYTES);
    clearTimeout(late);
    if (line === null) return void socket.destroy();
    if (line.startsWith('use ')) return this.#use(socket, line.slice('use '.length));
    const use = this.#uses.get(line);
    if (!use) return void socket.destroy();
    const server = await use.connect();
    if (server === null) return void socket.destroy();
    pass(socket, server);
  }

  async #use(socket: Socket, line: string): Promise<void> {
    const [, text = '', signature = ''] = /^(\{.*\}) ([\w-]+)$/.exec(line) ?? [];
    const wanted = this.key.isSigned(text, signature) ? wantedServer.safeParse(parsed(text)).data : undefined;
    if (!wanted) return void socket.destroy();
    let use: SupervisedUse;
    try {
      use = await this.supervisor.use(wanted);
    } catch (error) {
      return void socket.end(`refused ${JSON.stringify(refusalOf(error))}\n`);
    }
    const key = randomBytes(24).toString('base64url');
    const held = new RemoteServerUse(use, new URL(this.urls.site(wanted.slug)).host, () => this.supervisor.use(wanted));
    this.#uses.set(key, held);
    socket.on('data', (bytes) => {
      for (const message of bytes.toString('latin1')) {
        if (message === useMessages.silent) held.setSilent(true);
        else if (message === useMessages.heard) held.setSilent(false);
        else held.failed();
      }
    });
    const over = () => {
      this.#uses.delete(key);
      held.release();
      socket.destroy();
    };
    socket.once('close', over).once('end', over);
    if (socket.destroyed) return over();
    socket.resume();
    socket.write(`ready ${JSON.stringify({ key, isStandIn: use.isStandIn })}\n`);
  }
}

function pass(near: Socket, far: Socket) {
  if (near.destroyed) return void far.destroy();
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far).pipe(near);
}

function refusalOf(error: unknown): { readonly code: string; readonly detail?: string } {
  if (error instanceof Refusal)
    return { code: error.code, ...(error.detail !== undefined && { detail: error.detail }) };
  return { code: error instanceof OtherWorkerError ? 'held_elsewhere' : 'unavailable' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function ownAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return found.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
