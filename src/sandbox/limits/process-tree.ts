import { readdir, readFile } from 'node:fs/promises';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import type { GroupLimits } from './control-groups.js';
import type { WatchedLimit } from './within-limits.js';

type Process = { readonly id: number; readonly parent: number; readonly bytes: number };

const KIBIBYTE = 1_024;

/**
 * Measures the processes below a root process with `/proc`, on machines without control groups. No process can leave
 * the tree, because the sandbox’s first process becomes the parent of orphans.
 */
export class ProcessTree implements WatchedLimit {
  readonly isHeld = false;
  #root: number | null = null;

  constructor(
    private readonly limits: GroupLimits,
    private readonly proc = '/proc',
  ) {}

  /** Sets the root process of the tree. Before that, no processes are counted. */
  readonly begin = (root: number): void => {
    this.#root = root;
  };

  async exceeded(): Promise<Exceeded | null> {
    const root = this.#root;
    if (root === null) return null;
    const { memoryBytes, processes } = this.limits;
    const found = below(root, await this.#all());
    if (found.length > processes) return { what: 'processes', limit: formatNumber(processes) };
    const bytes = found.reduce((sum, each) => sum + each.bytes, 0);
    return bytes > memoryBytes ? { what: 'memory', limit: formatBytes(memoryBytes) } : null;
  }

  /** Returns the memory of all processes in the tree, or null if `begin` has not been called. */
  async memoryBytes(): Promise<number | null> {
    if (this.#root === null) return null;
    return below(this.#root, await this.#all()).reduce((sum, each) => sum + each.bytes, 0);
  }

  async #all(): Promise<readonly Process[]> {
    const names = (await readdir(this.proc)).filter((name) => /^\d+$/.test(name));
    const texts = await Promise.all(
      names.map((name) => readFile(`${this.proc}/${name}/status`, 'utf8').catch(alreadyGone)),
    );
    return texts.flatMap((text, n) => (text === undefined ? [] : [processOf(Number(names[n]), text)]));
  }
}

/** Parses a status file (Linux, Documentation/filesystems/proc.rst). Does not count mapped files as memory. */
function processOf(id: number, status: string): Process {
  const kibibytes = figure(status, 'RssAnon') + figure(status, 'RssShmem') + figure(status, 'VmSwap');
  return { id, parent: figure(status, 'PPid'), bytes: kibibytes * KIBIBYTE };
}

function figure(status: string, name: string): number {
  const at = status.indexOf(`\n${name}:`);
  return at < 0 ? 0 : Number.parseInt(status.slice(at + name.length + 2), 10) || 0;
}

function below(root: number, all: readonly Process[]): readonly Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = all.filter(({ id }) => id === root);
  // Children are appended to `found` during the loop, so the loop visits them as well.
  for (const each of found) found.push(...(children.get(each.id) ?? []));
  return found;
}
