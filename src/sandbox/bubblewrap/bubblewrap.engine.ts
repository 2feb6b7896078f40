import { join } from 'node:path';
import type { CommandEnd, OnOutput } from '../../kernel/ports/outside/builder.js';
import { FORWARDER } from '../inside/places.js';
import { RunningCommands } from '../isolated/running-commands.js';
import type { IsolatedCommand, Isolation, SandboxPlaces, Walls } from '../isolation.js';
import type { ControlGroup, ControlGroupTree } from '../limits/control-groups.js';
import { controlGroupsHere } from '../limits/control-groups-here.js';
import { ProcessTree } from '../limits/process-tree.js';
import { computeServerLimits, type HardLimits, hardLimits } from '../limits/server-limits.js';
import { withinLimits } from '../limits/within-limits.js';
import { seccompFilter } from '../seccomp/filter.js';
import { isProcessor } from '../seccomp/rules.js';
import { succeeds } from '../workspace/program.js';
import { sandboxArguments, writeEtc } from './sandbox-arguments.js';
import { runInSandbox, SECCOMP } from './sandbox-process.js';

/** Values shared by all sandboxes: the folder mounted in place of `/etc`, and this process’s hard limits. */
type OfMachine = { readonly etc: string; readonly hardLimits: HardLimits };

/** Runs builds in bubblewrap, with namespaces, a system call filter and, if possible, control groups. */
export class Bubblewrap implements Isolation {
  readonly engine = 'bubblewrap';
  #groups: ControlGroupTree | null = null;
  #own: OfMachine | null = null;

  async start(folder: string): Promise<string | null> {
    if (!isProcessor(process.arch)) return `Builds are not supported on ${process.arch} processors.`;
    this.#groups = await controlGroupsHere();
    this.#own = { etc: await writeEtc(join(folder, 'etc')), hardLimits: await hardLimits() };
    if (await succeeds('bwrap', ['--version'])) return null;
    return 'Building repositories requires bubblewrap. On Debian: apt-get install bubblewrap';
  }

  prepare = async () => undefined;

  async clear(roomName: string): Promise<void> {
    await this.#groups?.clear(roomName);
  }

  async walls(places: SandboxPlaces): Promise<Walls> {
    if (this.#own === null) throw new Error('The bubblewrap engine has not been started.');
    return new SandboxWalls(places, this.#own, (await this.#groups?.make(places.name, places.limits)) ?? null);
  }
}

class SandboxWalls implements Walls {
  readonly #runs = new RunningCommands();

  constructor(
    private readonly places: SandboxPlaces,
    private readonly own: OfMachine,
    private readonly group: ControlGroup | null,
  ) {}

  run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd> {
    return this.#runs.run(signal, (until) => {
      if (this.group) return this.#run(command, onOutput, until, () => undefined);
      const tree = new ProcessTree(this.places.limits);
      return withinLimits([tree], until, (within) => this.#run(command, onOutput, within, tree.begin));
    });
  }

  async #run(command: IsolatedCommand, onOutput: OnOutput, signal: AbortSignal, onStarted: (pid: number) => void) {
    const { places, own, group } = this;
    const { limits, owner } = places;
    try {
      const exitCode = await runInSandbox(
        {
          sandbox: sandboxArguments(command, places, own.etc, SECCOMP),
          seccomp: seccompFilter(process.arch as 'x64' | 'arm64'),
          program: [...FORWARDER, command.script],
          uid: owner?.uid ?? null,
          doors: group?.doors ?? [],
          limits: computeServerLimits(limits, group !== null, own.hardLimits),
          onStarted,
        },
        onOutput,
        signal,
      );
      return { exitCode, exceeded: (await group?.exceeded()) ?? null };
    } finally {
      await group?.kill();
    }
  }

  async remove(): Promise<void> {
    await this.#runs.close();
    await this.group?.kill();
    await this.group?.remove();
  }
}
