import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { nodeOptions } from '../../service/node-options.js';
import { WRITES } from './statement-patterns.js';
import { type Step, stepsInCode } from './steps-in-code.js';

/**
 * A fault at a step of the code: the step fails the `n`th time it is reached. With `always`, it also fails every later
 * time.
 */
export type Fault = {
  readonly id: string;
  readonly n: number;
  /** What the fault does: kill the process, cut the connection, or fill the disk. */
  readonly what: 'die' | 'cut' | 'full';
  /**
   * When the fault happens. `before`: before the step is executed. `after`: after it is executed but before its caller
   * gets the result.
   */
  readonly when: 'before' | 'after';
  readonly always?: true;
};

export type ReachedStep = {
  readonly id: string;
  readonly n: number;
  /**
   * True if this was the last step. After any other step, a fault has the same effect as a fault before the next step.
   */
  readonly isLast: boolean;
};

export type Reached = {
  readonly reached: readonly ReachedStep[];
  /** Writes and requests that the service executed, but that match no step found in the code. */
  readonly unknown: readonly string[];
  readonly faults: readonly (Fault & { readonly fired?: true })[];
};

/**
 * Injects faults into the durable steps (writes, and requests to other servers) of a service that is started with `env`
 * and `command`.
 */
export class FaultPoints {
  private constructor(
    readonly steps: readonly Step[],
    private readonly folder: string,
  ) {}

  static async make(): Promise<FaultPoints> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-points-'));
    const steps = stepsInCode();
    await writeFile(join(folder, 'steps.json'), JSON.stringify({ steps, writes: WRITES.source }));
    return new FaultPoints(steps, folder);
  }

  /** Runs the unbundled build, because tests cannot replace functions of packages inside a bundle. */
  readonly command: readonly [string, ...string[]] = [
    process.execPath,
    ...nodeOptions,
    // Enables source maps, so that each step can find out its location in the source code.
    '--enable-source-maps',
    'dist/start.js',
  ];

  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import ${resolve('test/support/faults/points/preload/preload.ts')}`,
      STELE_TEST_STEPS: join(this.folder, 'steps.json'),
      STELE_TEST_FAULT_POINTS: this.#address,
    };
  }

  /** Resets the counters of reached steps, and replaces the faults to inject. */
  begin(faults: readonly Fault[] = []): Promise<Reached> {
    return this.#say({ begin: faults });
  }

  /** Ends faults that have `always`. Does not reset the counters of reached steps. */
  giveRoom(): Promise<Reached> {
    return this.#say({ giveRoom: true });
  }

  reached(): Promise<Reached> {
    return this.#say({});
  }

  remove = () => rm(this.folder, { recursive: true, force: true });

  async #say(said: object): Promise<Reached> {
    const socket = connect(this.#address);
    socket.end(`${JSON.stringify(said)}\n`);
    return JSON.parse(await text(socket));
  }

  get #address() {
    return join(this.folder, 'points.sock');
  }
}
