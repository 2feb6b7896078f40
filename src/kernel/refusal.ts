import type { RefusalCode } from './refusals.js';

export type { RefusalCode } from './refusals.js';

/** An invalid part of the request (`files[3].path`), and the reason. */
export type Fault = { readonly path: string; readonly message: string };

/** An expected refusal. `detail` states what is wrong with this request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly detail?: string,
    readonly faults: readonly Fault[] = [],
    /** Additional members of the response (docs/interface/reference.md, "The Problem object"). */
    readonly more: Readonly<Record<string, unknown>> = {},
    /** Delay after which the same request could succeed, or null if unknown. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(detail ? `${code}: ${detail}` : code);
  }
}

export function refuse(
  code: RefusalCode,
  detail?: string,
  faults?: readonly Fault[],
  more?: Readonly<Record<string, unknown>>,
): never {
  throw new Refusal(code, detail, faults, more);
}
