import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { CommandEnd, OnOutput } from '../../kernel/ports/outside/builder.js';
import { INSIDE } from '../inside/places.js';
import { RunningCommands } from '../isolated/running-commands.js';
import type { IsolatedCommand, SandboxPlaces, Walls } from '../isolation.js';
import { type CommandFiles, type ContainerSettings, containerOptions } from './container-options.js';
import { findExceededLimit, metLimits, NO_LIMITS_MET } from './met-limits.js';
import { passFrames } from './output-frames.js';

/** Exit code of a process that was killed by SIGKILL, in the format that shells use. */
const KILLED = 137;

/** Runs each command in a new container. */
export class ContainerWalls implements Walls {
  readonly #runs = new RunningCommands();

  constructor(
    private readonly docker: Docker,
    private readonly settings: ContainerSettings,
    private readonly places: SandboxPlaces,
  ) {}

  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd> {
    return this.#runs.run(signal, (until) => this.#contained(command, onOutput, until));
  }

  remove(): Promise<void> {
    return this.#runs.close();
  }

  async #contained(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd> {
    signal.throwIfAborted();
    const files = await this.#writeFiles(command);
    const options = containerOptions(this.settings, this.places, command.cache, files);
    const container = await this.docker.createContainer(options);
    try {
      return await this.#watched(container, files.metLimits, onOutput, signal);
    } catch (error) {
      // After an abort, errors while reading the output do not matter.
      signal.throwIfAborted();
      throw error;
    } finally {
      // Kills the container before removing it, because an engine may wait for a running container to stop.
      await container.kill().catch(alreadyGone);
      await container.remove({ force: true, v: true }).catch(alreadyGone);
    }
  }

  async #watched(container: Docker.Container, met: string, onOutput: OnOutput, signal: AbortSignal) {
    const output = await container.attach({ stream: true, stdout: true, stderr: true });
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(alreadyGone);
    const end = () => {
      ended.reject(signal.reason);
      Object(output).destroy?.();
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      await container.start();
      await Promise.race([passFrames(output as AsyncIterable<Buffer> & typeof output, onOutput), ended.promise]);
      const { StatusCode } = await Promise.race([container.wait(), ended.promise]);
      return { exitCode: StatusCode, exceeded: await this.#exceeded(container, met, StatusCode) };
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /**
   * Returns the limit that was reached. If the container’s first process was killed, but not by this process, the
   * kernel killed it because memory ran out. Engines do not always report that.
   */
  async #exceeded(container: Docker.Container, metFile: string, exitCode: number) {
    const { limits } = this.places;
    const met = await metLimits(metFile);
    if (met) return findExceededLimit(met, limits);
    const { State } = await container.inspect();
    return State.OOMKilled || exitCode === KILLED ? findExceededLimit(new Set(['memory']), limits) : null;
  }

  async #writeFiles({ script, folder, env }: IsolatedCommand): Promise<CommandFiles> {
    const { place, disk, owner } = this.places;
    const { uid, gid } = owner ?? this.settings.ourselves;
    const files = {
      command: join(place, 'command.json'),
      metLimits: join(disk, 'met-limits'),
      passwd: join(place, 'passwd'),
      group: join(place, 'group'),
    };
    const cwd = join(INSIDE.workTree, folder);
    await writeFile(files.passwd, `build:x:${uid}:${gid}::${INSIDE.home}:/bin/sh\n`, { mode: 0o644 });
    await writeFile(files.group, `build:x:${gid}:\n`, { mode: 0o644 });
    // Removes the previous command’s file instead of overwriting it. The file is read-only even for this process,
    // because it contains the site’s secrets.
    await rm(files.command, { force: true });
    await writeFile(files.command, JSON.stringify({ script, env, cwd }), { mode: 0o400 });
    await writeFile(files.metLimits, NO_LIMITS_MET, { mode: 0o600 });
    if (owner) for (const file of [files.command, files.metLimits]) await chown(file, owner.uid, owner.gid);
    return files;
  }
}
