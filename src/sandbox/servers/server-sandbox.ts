import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerToRun } from '../../kernel/ports/outside/server-runner.js';
import { type EgressOptions, EgressProxy } from '../egress/egress-proxy.js';
import { isRoot } from '../isolated/owner.js';
import type { Owner, OwnerPool } from '../workspace/owners.js';
import { removeWritten } from '../workspace/remove-written.js';
import { SOCKET_NAME } from './places.js';
import { ServerSocket } from './server-socket.js';

export type ServerSandbox = {
  readonly name: string;
  /** Folder that the server can write to, meant only for its socket. */
  readonly sockets: string;
  readonly socket: ServerSocket;
  /** The proxy’s socket, or null if the server is not allowed to connect to any hosts. */
  readonly proxy: string | null;
  /** User of the server on this machine, or null for the user of this process. */
  readonly owner: Owner | null;
  /** Removes the sandbox after the server has ended. */
  remove(): Promise<void>;
};

/** Servers can reach these hosts only at public addresses, no matter who listed the hosts. */
const publicHosts = (names: readonly string[]) =>
  new Map(names.map((name) => [name, { name, canBePrivate: false }] as const));

export async function openServerSandbox(
  sandboxes: string,
  owners: OwnerPool,
  { lookup, connect }: Pick<EgressOptions, 'lookup' | 'connect'>,
  { hosts, onRefused }: Pick<ServerToRun, 'hosts' | 'onRefused'>,
): Promise<ServerSandbox> {
  const name = randomBytes(8).toString('hex');
  const owner = isRoot() ? owners.take() : null;
  const place = join(sandboxes, name);
  const sockets = join(place, 'sockets');
  await mkdir(place, { mode: 0o711 });
  await mkdir(sockets, { mode: 0o700 });
  if (owner) await chown(sockets, owner.uid, owner.gid);
  const proxySocket = join(place, 'proxy.sock');
  const egress = { hosts: publicHosts(hosts), lookup, onRefused, ...(connect && { connect }) };
  const proxy = hosts.length === 0 ? null : await EgressProxy.listen(proxySocket, egress);
  if (proxy) await chmod(proxySocket, 0o666);
  const socket = new ServerSocket(join(sockets, SOCKET_NAME), join(place, SOCKET_NAME));
  const remove = async () => {
    await socket.close();
    await proxy?.close();
    await removeWritten(place);
    if (owner) owners.giveBack(owner);
  };
  return { name, sockets, socket, proxy: proxy && proxySocket, owner, remove };
}
