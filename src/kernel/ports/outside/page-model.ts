/** The prompt for a model: the rules and one request. */
export type ModelQuestion = {
  readonly rules: string;
  readonly request: string;
};

/** Why a response is missing or incomplete. Never quotes the prompt or the response. */
export type ModelFaultKind =
  /** The endpoint cannot be reached, rejects the API key or fails. */
  | 'failing'
  /** The endpoint accepted the request, but then sent nothing for too long. */
  | 'silent'
  /** The endpoint rejected the request, or the model declined to respond. */
  | 'refused'
  /** The response was cut off, took too long or did not end. */
  | 'incomplete';

export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly kind: ModelFaultKind,
    /** What went wrong, for the caller. Does not contain the endpoint’s URL or key. */
    readonly detail: string,
  ) {
    super(detail);
  }
}

/** A language model that generates pages. */
export abstract class PageModel {
  /** False if no endpoint is configured. `write` then fails immediately. */
  abstract readonly isConfigured: boolean;

  /**
   * Streams the response. An empty chunk only means that the model is working. Ends normally only if the model reports
   * that it has finished; otherwise throws `ModelError`. If `signal` aborts, closes the connection immediately and
   * throws the signal’s reason. Does not retry after the first chunk.
   */
  abstract write(question: ModelQuestion, signal: AbortSignal): AsyncIterable<string>;
}

/** Used by installations without an endpoint. */
export class NoPageModel extends PageModel {
  override readonly isConfigured = false;

  // biome-ignore lint/correctness/useYield: it only throws.
  override async *write(): AsyncGenerator<string> {
    throw new ModelError('failing', 'No model is configured (LLM_BASE_URL). Use a template instead.');
  }
}
