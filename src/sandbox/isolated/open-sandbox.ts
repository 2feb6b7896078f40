import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLookup } from '../../adapters/network/public-address.js';
import type { BuildLimits } from '../../kernel/ports/outside/builder.js';
import type { DependencyCache } from '../cache/dependency-cache.js';
import { EgressProxy } from '../egress/egress-proxy.js';
import type { Hosts } from '../egress/hosts.js';
import type { Isolation } from '../isolation.js';
import type { Machine } from '../tools/machine.js';
import { makeDisk } from '../workspace/disk.js';
import type { OwnerPool } from '../workspace/owners.js';
import { IsolatedSandbox } from './isolated-sandbox.js';
import { isRoot } from './owner.js';

export type SandboxCreation = {
  readonly folder: string;
  readonly hosts: Hosts;
  readonly lookup: HostLookup;
  readonly machine: Machine;
  readonly cache: DependencyCache;
  /** Folder that contains the sandboxes of this process. */
  readonly sandboxes: string;
  readonly owners: OwnerPool;
};

export async function openSandbox(
  { folder, hosts, lookup, machine, cache, sandboxes, owners }: SandboxCreation,
  isolation: Isolation,
  limits: BuildLimits,
  onRefused: (host: string, why: string) => void,
  disks = makeDisk,
): Promise<IsolatedSandbox> {
  const name = randomBytes(8).toString('hex');
  const owner = isRoot() ? owners.take() : null;
  const place = join(sandboxes, name);
  const disk = await disks(place, limits, owner);
  let proxy: EgressProxy | null = null;
  const inDisk = async (folderName: string) => {
    const path = join(disk.folder, folderName);
    await mkdir(path, { mode: 0o700 });
    if (owner) await chown(path, owner.uid, owner.gid);
    return path;
  };
  const onClosed = () => owner && owners.giveBack(owner);
  try {
    const proxySocket = join(place, 'proxy.sock');
    const places = {
      name,
      place,
      disk: disk.folder,
      workTree: await inDisk('work'),
      home: await inDisk('home'),
      temporary: await inDisk('tmp'),
      tools: join(folder, 'tools'),
      proxy: proxySocket,
      limits,
      owner,
    };
    proxy = await EgressProxy.listen(proxySocket, { hosts, lookup, onRefused });
    await chmod(proxySocket, 0o666);
    const walls = await isolation.walls(places);
    return new IsolatedSandbox({ places, machine, disk, proxy, walls, cache, onClosed });
  } catch (error) {
    await proxy?.close();
    await disk.remove();
    onClosed();
    throw error;
  }
}
