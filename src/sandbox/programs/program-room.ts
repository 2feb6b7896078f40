import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramToRun } from '../../kernel/ports/outside/programs.js';
import { type EgressOptions, EgressProxy } from '../egress/egress-proxy.js';
import { isRoot } from '../room/owner.js';
import type { Owner, Owners } from '../workspace/owners.js';
import { removeWritten } from '../workspace/remove-written.js';
import { SOCKET_NAME } from './places.js';
import { ProgramSocket } from './program-socket.js';

/** Of one program that runs, on the machine’s side. */
export type ProgramRoom = {
  /** No other room has it. */
  readonly name: string;
  /** What it may write to: nothing but its socket is expected there. */
  readonly sockets: string;
  readonly socket: ProgramSocket;
  /** The socket of the way out; null where there is none. */
  readonly proxy: string | null;
  /** The user that the program runs as on this machine; null for our own user. */
  readonly owner: Owner | null;
  /** After the program has ended. */
  remove(): Promise<void>;
};

/** Hosts that a program may reach: at public addresses alone, no matter who named them. */
const publicHosts = (names: readonly string[]) =>
  new Map(names.map((name) => [name, { name, canBePrivate: false }] as const));

/** Makes the folder and the sockets of one program. */
export async function openProgramRoom(
  rooms: string,
  owners: Owners,
  { lookup, connect }: Pick<EgressOptions, 'lookup' | 'connect'>,
  { hosts, onRefused }: Pick<ProgramToRun, 'hosts' | 'onRefused'>,
): Promise<ProgramRoom> {
  const name = randomBytes(8).toString('hex');
  const owner = isRoot() ? owners.take() : null;
  const place = join(rooms, name);
  const sockets = join(place, 'sockets');
  await mkdir(place, { mode: 0o711 });
  await mkdir(sockets, { mode: 0o700 });
  if (owner) await chown(sockets, owner.uid, owner.gid);
  const proxySocket = join(place, 'proxy.sock');
  const egress = { hosts: publicHosts(hosts), lookup, onRefused, ...(connect && { connect }) };
  const proxy = hosts.length === 0 ? null : await EgressProxy.listen(proxySocket, egress);
  if (proxy) await chmod(proxySocket, 0o666);
  const socket = new ProgramSocket(join(sockets, SOCKET_NAME), join(place, SOCKET_NAME));
  const remove = async () => {
    await socket.close();
    await proxy?.close();
    await removeWritten(place);
    if (owner) owners.giveBack(owner);
  };
  return { name, sockets, socket, proxy: proxy && proxySocket, owner, remove };
}
