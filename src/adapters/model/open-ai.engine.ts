import type { OpenAI } from 'openai';
import { formatNumber } from '../../kernel/output/quantities.js';
import { ModelError, type ModelQuestion, PageModel } from '../../kernel/ports/outside/page-model.js';
import { Patience } from './patience.js';

type OpenAiOptions = {
  /** Base URL of an OpenAI-compatible endpoint, such as Ollama, llama.cpp or vLLM. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
  readonly silenceMs: number;
  readonly answerMs: number;
  /** Reports problems of the endpoint to the operator. The reports never contain prompts or responses. */
  readonly warn: (line: string) => void;
};

/** Maximum length of a response. A longer response would be rejected as a page anyway. */
const MAX_CHARACTERS = 524_288;

/** Removes headers with which the client library would describe this machine. */
const UNTOLD = Object.fromEntries(
  ['OS', 'Arch', 'Lang', 'Runtime', 'Runtime-Version', 'Package-Version'].map((name) => [`X-Stainless-${name}`, null]),
);

type Chunk = OpenAI.ChatCompletionChunk;

/** Uses streamed chat completions of an OpenAI-compatible endpoint, through OpenAI’s own client. */
export class OpenAiModel extends PageModel {
  override readonly isConfigured = true;
  #client: Promise<OpenAI> | undefined;

  constructor(private readonly options: OpenAiOptions) {
    super();
  }

  override async *write(question: ModelQuestion, signal: AbortSignal): AsyncGenerator<string> {
    const patience = new Patience(this.options, signal);
    try {
      const chunks = await this.#ask(question, patience.signal);
      yield* this.#pieces(chunks, patience);
    } catch (error) {
      signal.throwIfAborted();
      throw patience.fault ?? this.#faultOf(error);
    } finally {
      patience.end();
    }
  }

  async #ask({ rules, request }: ModelQuestion, signal: AbortSignal): Promise<AsyncIterable<Chunk>> {
    // Loads OpenAI’s client on first use, to save memory in a service without a model.
    this.#client ??= this.#connect();
    const client = await this.#client;
    const ask = () =>
      client.chat.completions.create(
        {
          model: this.options.model,
          stream: true,
          messages: [
            { role: 'system', content: rules },
            { role: 'user', content: request },
          ],
        },
        { signal },
      );
    // No part of the response has been received yet, so the request can be retried once after a possibly transient
    // failure.
    return ask().catch((error: unknown) => (isAccident(error) && !signal.aborted ? ask() : Promise.reject(error)));
  }

  async #connect(): Promise<OpenAI> {
    const { OpenAI } = await import('openai');
    const { baseUrl, apiKey, answerMs } = this.options;
    return new OpenAI({
      baseURL: baseUrl,
      apiKey: apiKey ?? 'none',
      // Prevents the client from reading environment variables meant for other programs.
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      timeout: answerMs,
      maxRetries: 0,
      defaultHeaders: { ...UNTOLD, ...(apiKey === null && { Authorization: null }) },
      // Refuses redirects, because prompts must only be sent to the configured endpoint.
      fetchOptions: { redirect: 'error' },
    });
  }

  /** Checks `finish_reason`, because a stream that breaks off or times out ends without an error. */
  async *#pieces(chunks: AsyncIterable<Chunk>, patience: Patience): AsyncGenerator<string> {
    let finish: string | null = null;
    let length = 0;
    for await (const chunk of chunks) {
      patience.heard();
      const choice = chunk.choices?.[0];
      if (choice?.delta?.refusal) throw new ModelError('refused', 'The model declined to write this page.');
      const text = typeof choice?.delta?.content === 'string' ? choice.delta.content : '';
      length += text.length;
      if (length > MAX_CHARACTERS)
        throw new ModelError(
          'incomplete',
          `The model’s response is longer than ${formatNumber(MAX_CHARACTERS)} characters.`,
        );
      finish = choice?.finish_reason ?? finish;
      yield text;
    }
    if (patience.fault) throw patience.fault;
    if (finish === 'content_filter')
      throw new ModelError('refused', 'The content filter of the model’s endpoint blocked the response.');
    if (finish === 'length') throw new ModelError('incomplete', 'The response exceeded the model’s length limit.');
    if (finish !== 'stop') throw new ModelError('incomplete', 'The model’s response ended before it was complete.');
  }

  #faultOf(error: unknown): ModelError {
    if (error instanceof ModelError) return error;
    const status = statusOf(error);
    if (status === null) {
      // The error's message is not logged, because it may contain model output.
      this.options.warn(
        `The request to the model’s endpoint failed: ${error instanceof Error ? error.name : 'unknown error'}`,
      );
      return new ModelError('failing', 'The model’s endpoint could not be reached or returned an invalid response.');
    }
    this.options.warn(`The model’s endpoint returned status ${status}`);
    return TOO_MUCH.has(status)
      ? new ModelError(
          'refused',
          'The model’s endpoint rejected this request. The prompt may be too long for the model.',
        )
      : new ModelError(
          'failing',
          `The model’s endpoint ${status === 429 ? 'is busy' : 'is failing'}. Try again later.`,
        );
  }
}

/** Statuses for requests that the endpoint understood but rejected. */
const TOO_MUCH = new Set([400, 413, 422]);

const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

function isAccident(error: unknown): boolean {
  const status = statusOf(error);
  return status === null || status >= 500;
}
