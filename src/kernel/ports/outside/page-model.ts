export type ModelQuestion = {
  readonly rules: string;
  readonly request: string;
};

export type ModelFaultKind =
  /** The endpoint is unreachable, rejects the API key or fails. */
  | 'failing'
  /** The endpoint accepted the request, then sent nothing for too long. */
  | 'silent'
  /** The endpoint rejected the request, or the model declined. */
  | 'refused'
  /** The response was cut off or took too long. */
  | 'incomplete';

export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly kind: ModelFaultKind,
    /** A description of the error for the caller, without the endpoint’s URL or key. */
    readonly detail: string,
  ) {
    super(detail);
  }
}

export abstract class PageModel {
  /** Whether an endpoint is configured. If not, `write` fails immediately. */
  abstract readonly isConfigured: boolean;

  /**
   * Streams the response. An empty chunk only shows that the model is still working. Throws `ModelError` if the stream
   * ends before the model reports that it has finished. If `signal` aborts, throws the signal's reason. Does not retry
   * after the first chunk.
   */
  abstract write(question: ModelQuestion, signal: AbortSignal): AsyncIterable<string>;
}

export class NoPageModel extends PageModel {
  override readonly isConfigured = false;

  // biome-ignore lint/correctness/useYield: it only throws.
  override async *write(): AsyncGenerator<string> {
    throw new ModelError('failing', 'No model is configured (LLM_BASE_URL). Use a template instead.');
  }
}
