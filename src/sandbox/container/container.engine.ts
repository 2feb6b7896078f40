import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { Isolation, SandboxPlaces, Walls } from '../isolation.js';
import { dockerProfile } from '../seccomp/docker-profile.js';
import { isProcessor } from '../seccomp/rules.js';
import type { Owner } from '../workspace/owners.js';
import { machineImage } from './build-image.js';
import { type ContainerSettings, SANDBOX_LABEL } from './container-options.js';
import { ContainerWalls } from './container-walls.js';
import { type ContainerEngine, findEngine } from './engine-socket.js';

const NO_ENGINE = 'Could not reach Docker or Podman at DOCKER_HOST or at their default sockets.';

/** Runs builds in Docker or Podman containers without network access or capabilities. */
export class Containers implements Isolation {
  readonly engine = 'container';
  #found: {
    readonly docker: Docker;
    readonly folder: string;
    readonly settings: Omit<ContainerSettings, 'image'>;
  } | null = null;
  #settings: ContainerSettings | null = null;

  /** If `image` is null, an image is created from this machine’s programs. */
  constructor(
    private readonly image: string | null,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  async start(folder: string): Promise<string | null> {
    const { arch } = process;
    if (!isProcessor(arch)) return `Builds are not supported on ${arch} processors.`;
    const engine = await findEngine(this.env);
    if (!engine) return NO_ENGINE;
    const { docker, isPodman } = engine;
    const profile = join(folder, 'seccomp.json');
    await writeFile(profile, JSON.stringify(dockerProfile(arch)), { mode: 0o644 });
    const settings = { ourselves: ourselvesIn(engine), isPodman, processor: arch, profile };
    this.#found = { docker, folder, settings };
    return null;
  }

  async prepare(): Promise<void> {
    const { docker, folder, settings } = this.#assertFound();
    const id = hash('sha256', folder).slice(0, 16);
    if (this.image !== null) await fetchImage(docker, this.image);
    this.#settings = { ...settings, image: this.image ?? (await machineImage(docker, folder, id)) };
  }

  /** The engine and settings for containers that are not builds. Available after `prepare`. */
  get own(): { readonly docker: Docker; readonly settings: ContainerSettings } {
    if (!this.#settings) throw new Error('The container engine has not been prepared.');
    return { docker: this.#assertFound().docker, settings: this.#settings };
  }

  async clear(roomName: string): Promise<void> {
    const { docker } = this.#assertFound();
    for (const { Id } of await docker.listContainers({
      all: true,
      filters: { label: [`${SANDBOX_LABEL}=${roomName}`] },
    })) {
      await docker.getContainer(Id).kill().catch(alreadyGone);
      await docker.getContainer(Id).remove({ force: true, v: true }).catch(alreadyGone);
    }
  }

  async walls(places: SandboxPlaces): Promise<Walls> {
    const { docker, settings } = this.own;
    return new ContainerWalls(docker, settings, places);
  }

  #assertFound() {
    if (!this.#found) throw new Error('The container engine has not been started.');
    return this.#found;
  }
}

/** Pulls an image unless it exists locally. Throws if it cannot be pulled. */
async function fetchImage(docker: Docker, name: string): Promise<void> {
  if (await docker.getImage(name).inspect().catch(alreadyGone)) return;
  const said = await docker.pull(name);
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(said, (error) => (error ? reject(error) : resolve())),
  );
}

/** Returns the user of this process as containers see it. A rootless engine maps it to root. */
const ourselvesIn = ({ isRootless }: ContainerEngine): Owner =>
  isRootless ? { uid: 0, gid: 0 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
