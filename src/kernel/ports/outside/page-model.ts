/** What a model is asked: the rules, and one request under them. */
export type ModelQuestion = {
  readonly rules: string;
  readonly request: string;
};

/** Why there is no answer, or no whole one. None of it quotes what was asked or answered. */
export type ModelFaultKind =
  /** The endpoint cannot be reached, refuses us or fails. */
  | 'failing'
  /** It took the question and then said nothing for too long. */
  | 'silent'
  /** It would not take the question, or the model would not answer it. */
  | 'refused'
  /** The answer ended before its end, or took too long, or has no end. */
  | 'incomplete';

export class ModelFault extends Error {
  override readonly name = 'ModelFault';

  constructor(
    readonly kind: ModelFaultKind,
    /** For the caller; it says nothing of the endpoint’s address and key. */
    readonly detail: string,
  ) {
    super(detail);
  }
}

/** A language model that writes pages. */
export abstract class PageModel {
  /** False where the operator has named no endpoint: then `write` fails at once. */
  abstract readonly isConfigured: boolean;

  /**
   * The answer in pieces as they come; an empty piece says only that the model is at work. It ends normally only if the
   * model says that it has finished, else it throws `ModelFault`. When `signal` aborts, the endpoint is left alone at
   * once and the reason of the signal is thrown. Nothing is tried again once a piece has come.
   */
  abstract write(question: ModelQuestion, signal: AbortSignal): AsyncIterable<string>;
}

/** Where no endpoint is configured. */
export class NoPageModel extends PageModel {
  override readonly isConfigured = false;

  // biome-ignore lint/correctness/useYield: there is nothing to say.
  override async *write(): AsyncGenerator<string> {
    throw new ModelFault('failing', 'No model is configured (LLM_BASE_URL). Use a template instead.');
  }
}
