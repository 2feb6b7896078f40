import createClient, { type Client } from 'openapi-fetch';
import { readContent, readWhole, type SentBytes, splitContent } from './network/bodies.js';
import {
  canRetry,
  computeDelay,
  countAttempts,
  DEFAULT_POLICY,
  isRepeatable,
  pause,
  type RetryPolicy,
} from './network/retries.js';
import type { components, paths } from './openapi.js';
import { NetworkError, RESPONSE_TIMEOUT, readProblem } from './problem.js';

/** Objects of the API by name, such as `Schemas['Site']`. */
export type Schemas = components['schemas'];

/**
 * A token that identifies the caller. An edit token is valid for one anonymous site. An upload token is valid for
 * uploads without any other credential, and for the deploy that uses them.
 */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'edit'; readonly token: string }
  | { readonly kind: 'upload'; readonly token: string };

export type SteleOptions = {
  /** The URL of the service, such as https://stele.example. */
  readonly instance: string;
  readonly credential?: Credential | undefined;
  /** `name/version` of the program, optionally followed by `; agent=…`. Sent as `stele-client` and `user-agent`. */
  readonly client?: string | undefined;
  readonly retries?: Partial<RetryPolicy>;
  /**
   * A request fails if no data is sent or received for this long. Streams are exempt. The default is 90 seconds, or
   * five minutes for a deploy.
   */
  readonly responseTimeoutMs?: number;
  /** Aborts all requests of this client. A request can also have a signal of its own. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a request has failed and will be repeated. */
  readonly onRetry?: ((error: Error, retry: Retry) => void) | undefined;
  /** Called with every response that arrives, before its status is checked. */
  readonly onResponse?: ((response: Response) => void) | undefined;
  readonly fetch?: typeof fetch;
};

/** `attempt` is the number of the next attempt, and `attempts` is the maximum number of attempts. */
export type Retry = { readonly afterMs: number; readonly attempt: number; readonly attempts: number };

/**
 * The service itself can wait up to a minute, for example while it clones a repository. Proxies usually give up after a
 * minute too.
 */
const TIMEOUT_MS = 90_000;
/** Storing a deploy of many files can take minutes. Node's `fetch` has the same time limit. */
const DEPLOY_TIMEOUT_MS = 300_000;

type MakeBody = (onChunk: () => void) => { readonly body: ReadableStream<Uint8Array>; readonly duplex: 'half' };

/** An instance that returns more pages of one list than this is considered faulty. */
const MAX_PAGES = 1_000;

/**
 * A client of one instance. Requests reject with ProblemError for an error status, and with NetworkError if there is no
 * response. A request that is safe to repeat is repeated a few times before it rejects.
 */
export class Stele {
  /** The URL of the service without a final slash. */
  readonly instance: string;
  readonly credential: Credential | undefined;
  /** Typed requests, as described by /openapi.json. */
  readonly api: Client<paths>;
  readonly #options: SteleOptions;
  readonly #policy: RetryPolicy;

  constructor(options: SteleOptions) {
    this.instance = options.instance.replace(/\/+$/, '');
    this.credential = options.credential;
    this.#options = options;
    this.#policy = { ...DEFAULT_POLICY, ...options.retries };
    this.api = createClient<paths>({ baseUrl: this.instance, fetch: (request) => this.send(request) });
  }

  /** Whether requests use Node's `fetch`, not one that was passed in the options. */
  get usesFetchOfNode(): boolean {
    return this.#options.fetch === undefined;
  }

  /** Returns a copy of this client with another credential. */
  with(credential: Credential | undefined): Stele {
    return new Stele({ ...this.#options, credential });
  }

  /**
   * Sends a request, and repeats it if it fails and can be repeated. Reads the whole response, up to 64 MiB. A large body
   * should be passed as `content`, because a Request would copy it. `onSent` is called as the body is sent.
   */
  send(request: Request, content?: Uint8Array, onSent?: SentBytes): Promise<Response> {
    return this.#repeat(request, readWhole, content, onSent);
  }

  /** Sends a request like `send`, but returns before the response body has arrived. The body can have any size. */
  open(request: Request): Promise<Response> {
    return this.#repeat(request, async (response) => response);
  }

  /**
   * Sends a request without retries. Returns before the response body has arrived. The request body may be a stream.
   */
  async sendOnce(request: Request, silence?: AbortSignal): Promise<Response> {
    const { headers, url } = request;
    const signal = this.#signalFor(request, silence);
    for (const [name, value] of this.#ownHeaders()) if (!headers.has(name)) headers.set(name, value);
    // A redirect could send a token to another instance, so redirects are never followed. The signal of a Request loses
    // its effect when the Request is garbage-collected, so the signal is passed separately.
    const response = await (this.#options.fetch ?? fetch)(request, { redirect: 'manual', signal }).catch((cause) => {
      throw signal.aborted ? signal.reason : new NetworkError(url, cause);
    });
    this.#options.onResponse?.(response);
    if (response.status < 300 || response.status === 304) return response;
    const body = await readContent(response).catch(() => null);
    signal.throwIfAborted();
    // If the connection breaks while the body is read, the status alone describes the error.
    throw readProblem(response, (await body?.text()) ?? '');
  }

  /**
   * Sends a request without retries. Its body comes from `makeBody`, which must call `onChunk` for each chunk. Rejects
   * with NetworkError if no data is sent or received for the response timeout. `receive` reads the response.
   */
  async sendBody(request: Request, makeBody: MakeBody | null, receive = readWhole): Promise<Response> {
    const { url } = request;
    const silence = new AbortController();
    const watchdog = setTimeout(
      () => silence.abort(new NetworkError(url, { code: RESPONSE_TIMEOUT })),
      this.#options.responseTimeoutMs ?? (new URL(url).pathname === '/v1/deploy' ? DEPLOY_TIMEOUT_MS : TIMEOUT_MS),
    );
    const onChunk = () => watchdog.refresh();
    try {
      const sent = makeBody ? new Request(request, makeBody(onChunk)) : request;
      return await receive(await this.sendOnce(sent, silence.signal), onChunk);
    } catch (error) {
      // If a connection breaks during the response, `fetch` reports a TypeError.
      throw error instanceof TypeError ? new NetworkError(url, error) : error;
    } finally {
      clearTimeout(watchdog);
    }
  }

  async #repeat(
    request: Request,
    receive: typeof readWhole,
    given?: Uint8Array,
    onSent?: SentBytes,
  ): Promise<Response> {
    const { headers } = request;
    const repeatable = isRepeatable(request);
    const content = given ?? (request.body && new Uint8Array(await request.arrayBuffer()));
    // `fetch` does not send the length of a body that is a stream.
    if (content) headers.set('content-length', String(content.length));
    let sent = 0;
    const advance = (to: number) => {
      onSent?.(to - sent);
      sent = to;
    };
    const makeBody: MakeBody | null =
      content &&
      ((onChunk) =>
        splitContent(content, (end) => {
          onChunk();
          advance(end);
        }));
    for (let failed = 1; ; failed++) {
      try {
        return await this.sendBody(request, makeBody, receive);
      } catch (error) {
        const attempts = countAttempts(error, this.#policy);
        if (failed >= attempts || !canRetry(error, repeatable, this.#policy)) throw error;
        const afterMs = computeDelay(failed, error);
        this.#options.onRetry?.(error as Error, { afterMs, attempt: failed + 1, attempts });
        advance(0);
        await pause(afterMs, this.#signalFor(request));
      }
    }
  }

  /** Returns a copy of this client without its signal, so that its requests continue when all others are aborted. */
  withoutSignal(): Stele {
    return new Stele({ ...this.#options, signal: undefined });
  }

  #signalFor({ signal }: Request, silence?: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#options.signal, silence].filter((each) => each !== undefined));
  }

  url(path: string, query: Readonly<Record<string, string | number | boolean | undefined>> = {}): URL {
    const url = new URL(this.instance + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  #ownHeaders(): [string, string][] {
    const { credential, client } = this.#options;
    const names = { bearer: 'authorization', edit: 'x-svc-edit-token', upload: 'x-svc-upload-token' } as const;
    return [
      ...(client ? ['stele-client', 'user-agent'].map((name): [string, string] => [name, client]) : []),
      ...(credential
        ? [
            [
              names[credential.kind],
              credential.kind === 'bearer' ? `Bearer ${credential.token}` : credential.token,
            ] satisfies [string, string],
          ]
        : []),
    ];
  }
}

/** Returns the JSON body of the response to a typed request. Throws if the body is missing or is text. */
export async function read<Body>(
  request: Promise<{ data?: Body; response: Response }>,
): Promise<Exclude<Body, string | undefined>> {
  const { data, response } = await request;
  if (data === undefined || typeof data === 'string')
    throw new Error(`${response.url} responded with status ${response.status} but without a JSON body.`);
  return data as Exclude<Body, string | undefined>;
}

/** Returns all items of a paginated list. */
export async function readAll<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await readPage(page);
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
    if (page === MAX_PAGES) throw new Error(`The list has more than ${MAX_PAGES} pages.`);
  }
}

/** Returns the revision of a site from the `etag` or `stele-revision` header of a response. */
export function readRevision({ headers }: Response): string | undefined {
  return headers.get('etag') ?? (headers.has('stele-revision') ? `"${headers.get('stele-revision')}"` : undefined);
}
