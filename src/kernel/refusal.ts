import type { RefusalCode } from './refusals.js';

export type { RefusalCode } from './refusals.js';

/** Where in the request something is wrong (`files[3].path`), and what. */
export type Fault = { readonly path: string; readonly message: string };

/** An expected refusal. `detail` says what is wrong with this request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly detail?: string,
    readonly faults: readonly Fault[] = [],
    /** Further members of the response, listed in docs/interface/reference.md, "The Problem object". */
    readonly more: Readonly<Record<string, unknown>> = {},
    /** Seconds after which the same request can succeed; null if unknown. */
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
