import { chmod, copyFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import type { HostLookup } from '../../adapters/network/public-address.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { SANDBOX_LABEL } from '../container/container-options.js';
import { EgressProxy, type OnRefused } from '../egress/egress-proxy.js';
import type { Hosts } from '../egress/hosts.js';
import { removeContainer } from '../servers/container-server.js';
import { PLACES, PROXY_PORT } from '../servers/places.js';

export type RunHosts = { readonly hosts: Hosts; readonly lookup: HostLookup };

/** Script in the network’s container that forwards connections to the proxy. */
export const BESIDE_FILE = fileURLToPath(new URL('../inside/beside.js', import.meta.url));

const MEMORY_BYTES = 134_217_728;
const PROCESSES = 32;

/**
 * Build arguments that Dockerfiles do not have to declare and that are not stored in the image (docs.docker.com,
 * “Predefined ARGs”).
 */
const PROXY_ARGUMENTS = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
const LOOPBACK_ARGUMENTS = ['NO_PROXY', 'no_proxy'];

/**
 * The network for the commands of one image build: a separate loopback interface with a forwarder to an egress proxy.
 * The commands join the network of a container, which only Podman’s builder supports.
 */
export class RunNetwork {
  private constructor(
    private readonly proxy: EgressProxy,
    private readonly container: Docker.Container,
    /** ID of a process in the network, from the engine’s point of view. */
    private readonly pid: number,
  ) {}

  /**
   * `folder` is an existing folder for the sockets. The container gets its name as a label, so that it can be
   * removed later.
   */
  static async open(
    docker: Docker,
    image: string,
    folder: string,
    { hosts, lookup }: RunHosts,
    onRefused: OnRefused,
    besideFile = BESIDE_FILE,
  ): Promise<RunNetwork> {
    const socket = join(folder, 'proxy.sock');
    const beside = join(folder, 'beside.mjs');
    await copyFile(besideFile, beside);
    await chmod(beside, 0o644);
    const proxy = await EgressProxy.listen(socket, { hosts, lookup, onRefused });
    let container: Docker.Container | null = null;
    try {
      await chmod(socket, 0o666);
      const bind = (Source: string, Target: string) => ({ Type: 'bind' as const, Source, Target, ReadOnly: true });
      container = await docker.createContainer({
        Image: image,
        Labels: { [SANDBOX_LABEL]: basename(folder) },
        Entrypoint: [PLACES.node, '--max-old-space-size=32', '--max-semi-space-size=1', `${PLACES.inside}/beside.mjs`],
        Cmd: ['none'],
        WorkingDir: '/',
        StopTimeout: 0,
        HostConfig: {
          NetworkMode: 'none',
          IpcMode: 'private',
          ReadonlyRootfs: true,
          CapDrop: ['ALL'],
          SecurityOpt: ['no-new-privileges'],
          LogConfig: { Type: 'none', Config: {} },
          Memory: MEMORY_BYTES,
          MemorySwap: MEMORY_BYTES,
          PidsLimit: PROCESSES,
          Mounts: [
            bind(await realpath(process.execPath), PLACES.node),
            bind(beside, `${PLACES.inside}/beside.mjs`),
            bind(socket, PLACES.proxy),
          ],
        },
      });
      await container.start();
      const { State } = await container.inspect();
      return new RunNetwork(proxy, container, State.Pid);
    } catch (error) {
      if (container) await removeContainer(container);
      await proxy.close();
      throw error;
    }
  }

  /** Options for a build in this network. `networkmode` makes Podman accept the network named in `nsoptions`. */
  get options() {
    const proxy = `http://127.0.0.1:${PROXY_PORT}`;
    const values = [
      ...PROXY_ARGUMENTS.map((name) => [name, proxy]),
      ...LOOPBACK_ARGUMENTS.map((name) => [name, 'localhost,127.0.0.1,::1']),
    ];
    return {
      networkmode: '0',
      nsoptions: JSON.stringify([{ Name: 'network', Path: `/proc/${this.pid}/ns/net` }]),
      buildargs: Object.fromEntries(values) as Record<string, string>,
    };
  }

  async close(): Promise<void> {
    await removeContainer(this.container);
    await this.proxy.close();
  }
}

/** Removes containers that a killed process left behind. `name` is the name of the folder that was passed to `open`. */
export async function clearRunNetworks(docker: Docker, name: string): Promise<void> {
  const filters = { label: [`${SANDBOX_LABEL}=${name}`] };
  for (const { Id } of (await docker.listContainers({ all: true, filters }).catch(alreadyGone)) ?? [])
    await removeContainer(docker.getContainer(Id));
}
