import type { Stele } from '../client.js';
import { assertLineFits, ResponseTooLargeError } from '../network/bodies.js';
import { canRetry, computeDelay, DEFAULT_POLICY, pause } from '../network/retries.js';
import { NetworkError, ProblemError, RESPONSE_TIMEOUT } from '../problem.js';

/** An event of a stream. `id` is its number in the stream; `end` and `reset` have none. */
export type StreamEvent = {
  readonly id?: number | string;
  readonly event: string;
  readonly data?: unknown;
};

export type FollowOptions = {
  /** ID of the event after which to start. */
  readonly after?: number | string | undefined;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal?: AbortSignal | undefined;
};

/** The service sends at least a keep-alive line every 15 seconds. A connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 45_000;
/** Maximum number of consecutive failures without an event in between. */
const MAX_FAILURES = 10;

/**
 * Yields the events of a stream until it ends, such as those of `/v1/jobs/{id}/events`. Reconnects when the connection
 * breaks and continues after the last event, so that none is missed or repeated. After `reset`, the stream starts again
 * from its beginning.
 */
export async function* followStream(
  stele: Stele,
  path: string,
  { after, query = {}, signal }: FollowOptions = {},
): AsyncGenerator<StreamEvent> {
  let last = after;
  let failures = 0;
  // An instance that has never responded is probably unreachable, so give up earlier. One that has responded is
  // probably restarting.
  let most = DEFAULT_POLICY.attempts - 1;
  const onOpen = () => {
    most = MAX_FAILURES;
  };
  while (true) {
    try {
      for await (const event of readOnce(stele, path, { after: last, query, signal }, onOpen)) {
        failures = 0;
        if (event.event === 'end') return;
        last = event.event === 'reset' ? undefined : (event.id ?? last);
        yield event;
      }
      // The server has closed the connection, for example because it is restarting.
      await pause(computeDelay(1, null), signal);
    } catch (error) {
      if (error instanceof StreamFinished) return;
      failures += 1;
      if (failures > most || !canRetry(error, true, DEFAULT_POLICY)) throw error;
      await pause(computeDelay(failures, error), signal);
    }
  }
}

/** The stream has ended, and the client has already received all its events. */
class StreamFinished extends Error {}

async function* readOnce(stele: Stele, path: string, { after, query, signal }: FollowOptions, onOpen: () => void) {
  const silence = new AbortController();
  const url = stele.url(path, { ...query, after });
  const either = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
  const watchdog = setTimeout(
    () => silence.abort(new NetworkError(url.href, { code: RESPONSE_TIMEOUT })),
    MAX_SILENCE_MS,
  );
  const request = new Request(url, { headers: { accept: 'application/x-ndjson' } });
  try {
    const response = await stele.sendOnce(request, either);
    onOpen();
    if (response.status === 204) throw new StreamFinished();
    for await (const line of readLines(response)) {
      watchdog.refresh();
      if (line.trim() !== '') yield JSON.parse(line) as StreamEvent;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const isOwn = [StreamFinished, ProblemError, NetworkError, ResponseTooLargeError].some(
      (type) => error instanceof type,
    );
    throw isOwn ? error : new NetworkError(url.href, error);
  } finally {
    clearTimeout(watchdog);
    silence.abort();
  }
}

/** Splits a response into lines, including keep-alive lines. Throws ResponseTooLargeError if a line is too long. */
export async function* readLines({ body, url }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    assertLineFits(rest.length, url);
    yield* parts;
  }
  if (rest !== '') yield rest;
}
