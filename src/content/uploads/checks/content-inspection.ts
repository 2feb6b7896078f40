import type { DeployWarning, InspectionFinding } from './deploy-warning.js';
import { leakedKeyIn } from './leaked-keys.js';
import { rootAbsoluteUrlIn } from './root-absolute-urls.js';

/** Number of bytes at the start of each file that are inspected. */
const INSPECTED_BYTES = 128 * 1024;
const MAX_WARNINGS_OF_A_KIND = 20;

const INSPECTIONS: readonly ((path: string, bytes: Buffer) => InspectionFinding | null)[] = [
  leakedKeyIn,
  rootAbsoluteUrlIn,
];

/**
 * Inspects files as they arrive for likely mistakes, such as leaked keys and URLs that will not work. Warnings never
 * quote the content of a file.
 */
export class ContentInspection {
  #warnings: DeployWarning[] = [];
  readonly #counts = new Map<unknown, number>();

  get warnings(): readonly DeployWarning[] {
    return this.#warnings;
  }

  /** Warns that a file was left out. All files in the `__MACOSX` folder of a macOS archive share one warning. */
  leftOut(path: string, why: string): void {
    const inFolder = path.replace(/^(\.\/)*__MACOSX\/.*$/s, '__MACOSX/');
    if (this.#warnings.some(({ file }) => file === inFolder)) return;
    this.#warn(this.leftOut, { file: inFolder.slice(0, 1024).toWellFormed(), message: `Left out: ${why}.` });
  }

  /** Inspects a file whose content has arrived completely. */
  inspect(path: string, chunks: readonly Uint8Array[]): void {
    const text = textOf(chunks);
    if (text === null) return;
    for (const inspection of INSPECTIONS) {
      const found = inspection(path, text);
      if (found) this.#warn(inspection, { file: path, ...found });
    }
  }

  /** Starts inspecting a file whose content is still arriving. Pass each chunk to `see`, then call `end`. */
  start(path: string) {
    const chunks: Uint8Array[] = [];
    let bytesLeft = INSPECTED_BYTES;
    return {
      see: (chunk: Uint8Array) => {
        if (bytesLeft <= 0) return;
        chunks.push(chunk.subarray(0, bytesLeft));
        bytesLeft -= chunk.length;
      },
      end: () => this.inspect(path, chunks),
    };
  }

  /** Updates the paths in the warnings. Used if paths change after the inspection. */
  rename(renamed: (path: string) => string): void {
    this.#warnings = this.#warnings.map((warning) => ({ ...warning, file: renamed(warning.file) }));
  }

  #warn(kind: unknown, warning: DeployWarning): void {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    if (count < MAX_WARNINGS_OF_A_KIND) this.#warnings.push(warning);
  }
}

/** Returns the start of a file, or null if it is not text, that is, if it has a zero byte near its start. */
function textOf(chunks: readonly Uint8Array[]): Buffer | null {
  const [first] = chunks;
  if (!first || first.subarray(0, 512).includes(0)) return null;
  const whole = chunks.length === 1 ? first : Buffer.concat(chunks);
  return Buffer.from(whole.buffer, whole.byteOffset, Math.min(whole.length, INSPECTED_BYTES));
}
