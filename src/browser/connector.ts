/** Thrown by `invoke` where there is no answer to be had. */
export class InvokeError extends Error {
  override readonly name = 'InvokeError';

  constructor(
    message: string,
    /**
     * A word for programs: of the service's problems, such as `no_agent` or `rate_limited`; `failed` where the agent said
     * that it cannot do it; `network` where no answer came.
     */
    readonly code: string,
    /** The HTTP status; 0 where there was none. */
    readonly status: number,
  ) {
    super(message);
  }
}

export type InvokeOptions = {
  /**
   * Is given each part of the answer as it comes, once. `attempt` counts from 1: where an agent was lost, another one
   * begins anew, with a greater one.
   */
  readonly onPartial?: (part: unknown, attempt: number) => void;
  /** Stops the waiting: `invoke` throws its reason. The agent goes on. */
  readonly signal?: AbortSignal;
  /** For how many seconds one request waits, 0 to 30, where something on the way ends long ones; another one follows. */
  readonly wait?: number;
  /** What is sent twice with one key, of 8 characters or more, is done once. Without it each call has a key of its own. */
  readonly idempotencyKey?: string;
};

/** How often in a row the service may be away or busy before that is the answer. */
const TRIES = 6;
const PASSING = ['network', 'unavailable', 'rate_limited', 'idempotency_in_progress'];

/**
 * Hands `input`, JSON of 256 KiB at most, to an agent of the site that this page is on, and waits for what it answers, also
 * when the connection is lost meanwhile. Throws InvokeError.
 */
export async function invoke<Output = unknown>(
  input: unknown,
  { onPartial, signal, wait, idempotencyKey = randomKey() }: InvokeOptions = {},
): Promise<Output> {
  const body = JSON.stringify({ input, wait });
  const headers = {
    'content-type': 'application/json',
    // What is asked again with its key goes on as a stream, which begins with all parts there are.
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
      const { code = 'network', detail = 'Nobody answered.' } = told ?? {};
      if (tries === TRIES || !PASSING.includes(code)) throw new InvokeError(detail, code, status);
    }
    await new Promise((over) => setTimeout(over, pause));
    signal?.throwIfAborted();
  }
}

/** What an event says, or a problem. */
type EventOrProblem = {
  readonly status?: unknown;
  readonly output?: unknown;
  readonly attempt?: number;
  readonly error?: { readonly message: string };
  readonly code?: string;
  readonly detail?: string;
};

/** What the last event of the answer says; null where it was cut off. */
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

/** On a page that came by plain http, there is no `crypto.randomUUID`. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-');
