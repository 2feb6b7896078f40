import { ModelError } from '../../kernel/ports/outside/page-model.js';

/** Aborts a request if the model is silent for too long, or if the request takes too long overall. */
export class Patience {
  readonly #ending = new AbortController();
  #fault: ModelError | null = null;
  readonly #silence: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor({ silenceMs, answerMs }: { readonly silenceMs: number; readonly answerMs: number }, caller: AbortSignal) {
    this.signal = AbortSignal.any([caller, this.#ending.signal]);
    this.#silence = setTimeout(() => this.#lose('silent', 'The model stopped responding.'), silenceMs);
    this.#deadline = setTimeout(
      () => this.#lose('incomplete', 'The model took too long to complete its response.'),
      answerMs,
    );
  }

  /** The timeout that ended the request, or null. */
  get fault(): ModelError | null {
    return this.#fault;
  }

  /** Restarts the silence timeout. Call it whenever data arrives. */
  heard = () => void this.#silence.refresh();

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#deadline);
    this.#ending.abort();
  }

  #lose(kind: ModelError['kind'], detail: string): void {
    this.#fault ??= new ModelError(kind, detail);
    this.#ending.abort();
  }
}
