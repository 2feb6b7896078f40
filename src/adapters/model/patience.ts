import { ModelFault } from '../../kernel/ports/outside/page-model.js';

/** Ends a conversation that takes too long: for want of any sign, or in all. */
export class Patience {
  readonly #ending = new AbortController();
  #fault: ModelFault | null = null;
  readonly #silence: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  /** Aborts when patience is at its end, and with the caller’s. */
  readonly signal: AbortSignal;

  constructor({ silenceMs, answerMs }: { readonly silenceMs: number; readonly answerMs: number }, caller: AbortSignal) {
    this.signal = AbortSignal.any([caller, this.#ending.signal]);
    this.#silence = setTimeout(() => this.#lose('silent', 'The model stopped responding.'), silenceMs);
    this.#deadline = setTimeout(
      () => this.#lose('incomplete', 'The model took too long to complete its response.'),
      answerMs,
    );
  }

  /** Why it was ended; null where it was not. */
  get fault(): ModelFault | null {
    return this.#fault;
  }

  /** There was a sign: the silence begins anew. */
  heard = () => void this.#silence.refresh();

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#deadline);
    this.#ending.abort();
  }

  #lose(kind: ModelFault['kind'], detail: string): void {
    this.#fault ??= new ModelFault(kind, detail);
    this.#ending.abort();
  }
}
