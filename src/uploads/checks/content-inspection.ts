import type { DeployWarning } from './deploy-warning.js';
import { leakIn } from './leaked-keys.js';
import { rootAddressIn } from './root-absolute-urls.js';

/** Of each file, in bytes. What is hidden further behind is not looked for. */
const SEEN_UP_TO = 128 * 1024;
/** Of each kind. */
const AT_MOST = 20;

type Found = { readonly line: number; readonly message: string } | null;
const LOOKS: readonly ((path: string, bytes: Buffer) => Found)[] = [leakIn, rootAddressIn];

/** Looks at files as they pass, for what their owner may not have meant. Nothing of a content goes into a message. */
export class Inspection {
  #warnings: DeployWarning[] = [];
  readonly #counts = new Map<unknown, number>();

  get warnings(): readonly DeployWarning[] {
    return this.#warnings;
  }

  leftOut(path: string, why: string): void {
    const inFolder = path.replace(/^(\.\/)*__MACOSX\/.*$/s, '__MACOSX/');
    if (this.#warnings.some(({ file }) => file === inFolder)) return;
    this.#warn(this.leftOut, { file: inFolder.slice(0, 1024).toWellFormed(), message: `Left out: ${why}.` });
  }

  /** A file whose content is there already. */
  of(path: string, pieces: readonly Uint8Array[]): void {
    const text = textOf(pieces);
    if (text === null) return;
    for (const look of LOOKS) {
      const found = look(path, text);
      if (found) this.#warn(look, { file: path, ...found });
    }
  }

  /** A file whose content is yet to come. */
  start(path: string) {
    const pieces: Uint8Array[] = [];
    let room = SEEN_UP_TO;
    return {
      see: (piece: Uint8Array) => {
        if (room <= 0) return;
        pieces.push(piece.subarray(0, room));
        room -= piece.length;
      },
      end: () => this.of(path, pieces),
    };
  }

  rename(renamed: (path: string) => string): void {
    this.#warnings = this.#warnings.map((warning) => ({ ...warning, file: renamed(warning.file) }));
  }

  #warn(kind: unknown, warning: DeployWarning): void {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    if (count < AT_MOST) this.#warnings.push(warning);
  }
}

/** The beginning; null for what is no text, which has zeros in it soon. */
function textOf(pieces: readonly Uint8Array[]): Buffer | null {
  const [first] = pieces;
  if (!first || first.subarray(0, 512).includes(0)) return null;
  const whole = pieces.length === 1 ? first : Buffer.concat(pieces);
  return Buffer.from(whole.buffer, whole.byteOffset, Math.min(whole.length, SEEN_UP_TO));
}
