/** Thrown by `invoke` where there is no answer to be had. */
export class InvokeError extends Error {
  override readonly name = 'InvokeError';

  constructor(
    message: string,
    /**
     * A word for programs: of the service's problems, such as `no_agent` or `rate_limited`; `failed` where the agent said
     * that it cannot do it; `network` where nobody answered.
     */
    readonly code: string,
    /** The HTTP status; 0 where there was none. */
    readonly status: number,
  ) {
    super(message);
  }
}

export type InvokeOptions = {
  /** Is given each part of the answer as it comes. After a lost connection those from before may come again. */
  readonly onPartial?: (part: unknown) => void;
  /** Stops the waiting: `invoke` throws its reason. The agent goes on. */
  readonly signal?: AbortSignal;
  /** For how many seconds one request waits, 0 to 30. Another one follows until there is an answer. 25 by default. */
  readonly wait?: number;
  /** What is sent twice with one key is done once. Without it each call has a key of its own. */
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
  { onPartial, signal, wait = 25, idempotencyKey = randomKey() }: InvokeOptions = {},
): Promise<Output> {
  const body = JSON.stringify({ input, wait });
  const headers = {
    'content-type': 'application/json',
    accept: onPartial ? 'text/event-stream' : 'application/json',
    'idempotency-key': idempotencyKey,
  };
  for (let tries = 0; ; tries++) {
    let [status, told, pause] = [0, null as Told | null, 500 * 2 ** tries * (0.5 + Math.random())];
    try {
      const answer = await fetch('/.stele/invoke', { method: 'POST', headers, body, signal: signal ?? null });
      status = answer.status;
      pause = Math.max(pause, 1_000 * Number(answer.headers.get('retry-after')));
      told = onPartial && status === 200 ? await last(answer, onPartial) : await answer.json();
    } catch (fault) {
      if (signal?.aborted) throw fault;
    }
    if (told?.status === 'succeeded') return told.output as Output;
    if (told?.status === 'failed') throw new InvokeError(told.error?.message ?? '', 'failed', status);
    if (status === 202) tries = -1;
    else {
      const { code = 'network', detail = 'Nobody answered.' } = told ?? {};
      if (tries === TRIES || !PASSING.includes(code)) throw new InvokeError(detail, code, status);
      await new Promise((over) => setTimeout(over, pause));
    }
    signal?.throwIfAborted();
  }
}

/** An answer, a problem, or what one event says. */
type Told = {
  readonly status?: unknown;
  readonly output?: unknown;
  readonly error?: { readonly message: string };
  readonly code?: string;
  readonly detail?: string;
};

/** What the last event of the answer says; each part before it is given to `onPartial`. */
async function last({ body }: Response, onPartial: (part: unknown) => void): Promise<Told | null> {
  const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (let rest = ''; ; ) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return null;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const text of events) {
      const told: Told = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null');
      if (!told) continue;
      if (!/^event: partial$/m.test(text)) return told;
      try {
        onPartial(told.output);
      } catch (fault) {
        reportError(fault);
      }
    }
  }
}

/** On a page that came by plain http, there is no `crypto.randomUUID`. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-');
