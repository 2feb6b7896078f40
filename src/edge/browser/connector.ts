/** Thrown by `invoke` if the call did not produce a result. */
export class InvokeError extends Error {
  override readonly name = 'InvokeError';

  constructor(
    message: string,
    /** The `code` of the problem response, `failed` if the agent failed, or `network` if no response arrived. */
    readonly code: string,
    /** The HTTP status, or 0 if no response arrived. */
    readonly status: number,
  ) {
    super(message);
  }
}

export type InvokeOptions = {
  /** Called with each partial result. `attempt` starts at 1 and increases when another agent starts over. */
  readonly onPartial?: (part: unknown, attempt: number) => void;
  /** Aborts the wait for the result. `invoke` then throws the signal's reason, but the agent continues its work. */
  readonly signal?: AbortSignal;
  /**
   * How many seconds each request waits for the result, from 0 to 30. Set it for networks that cut off long requests.
   * `invoke` sends further requests until there is a result.
   */
  readonly wait?: number;
  /** Calls with the same key (at least 8 characters) run only once. By default, each call has its own key. */
  readonly idempotencyKey?: string;
};

/** Maximum number of consecutive retries while the service is unreachable or busy. */
const TRIES = 6;
const PASSING = ['network', 'unavailable', 'rate_limited', 'idempotency_in_progress'];

/**
 * Sends `input` (at most 256 KiB of JSON) to an agent of this page's site. Returns the result or throws `InvokeError`.
 */
export async function invoke<Output = unknown>(
  input: unknown,
  { onPartial, signal, wait, idempotencyKey = randomKey() }: InvokeOptions = {},
): Promise<Output> {
  const body = JSON.stringify({ input, wait });
  const headers = {
    'content-type': 'application/json',
    // Accept a stream, so that a retry with the same key gets all partial results so far.
    accept: 'text/event-stream',
    'idempotency-key': idempotencyKey,
  };
  let seen = 0;
  for (let tries = 0; ; tries++) {
    let [status, told, pause] = [0, null as EventOrProblem | null, 500 * 2 ** tries * (0.5 + Math.random())];
    try {
      const answer = await fetch('/.stele/invoke', { method: 'POST', headers, body, signal: signal ?? null });
      status = answer.status;
      pause = Math.max(pause, 1_000 * Number(answer.headers.get('retry-after')));
      let part = 0;
      const onPart = ({ output, attempt = 1 }: EventOrProblem) =>
        ++part > seen && ++seen && onPartial?.(output, attempt);
      told = status === 200 ? await last(answer, onPart) : await answer.json();
    } catch (fault) {
      if (signal?.aborted) throw fault;
    }
    if (told?.status === 'succeeded') return told.output as Output;
    if (told?.status === 'failed') throw new InvokeError(told.error?.message ?? '', 'failed', status);
    if (told?.status === 'queued') tries = -1;
    else {
      const { code = 'network', detail = 'The service did not respond.' } = told ?? {};
      if (tries === TRIES || !PASSING.includes(code)) throw new InvokeError(detail, code, status);
    }
    await new Promise((over) => setTimeout(over, pause));
    signal?.throwIfAborted();
  }
}

type EventOrProblem = {
  readonly status?: unknown;
  readonly output?: unknown;
  readonly attempt?: number;
  readonly error?: { readonly message: string };
  readonly code?: string;
  readonly detail?: string;
};

/** Reads a stream of events. Returns the data of the last event, or null if the response was cut off. */
async function last({ body }: Response, onPart: (told: EventOrProblem) => void): Promise<EventOrProblem | null> {
  const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (let rest = ''; ; ) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return null;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const text of events) {
      const told: EventOrProblem = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null');
      if (!told) continue;
      if (!/^event: partial$/m.test(text)) return told;
      try {
        onPart(told);
      } catch (fault) {
        reportError(fault);
      }
    }
  }
}

/** `crypto.randomUUID` is not available on pages served over plain HTTP. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-');
