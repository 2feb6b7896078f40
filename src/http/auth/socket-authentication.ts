import type { IncomingMessage } from 'node:http';
import type { Who } from '../../kernel/command-context.js';
import type { Ids } from '../../kernel/ids.js';
import type { Refusal } from '../../kernel/refusal.js';
import { comesFromUs } from '../api/csrf.js';
import { problemBody, unexpectedBody } from '../problems/send-problem.js';
import type { Callers } from './authentication.js';

/** Who is behind a WebSocket, and how it is told no. */
export class WebSocketCallers {
  readonly #comesFromUs: ReturnType<typeof comesFromUs>;

  constructor(
    private readonly callers: Callers,
    private readonly ids: Ids,
    private readonly baseUrl: string,
    /** Where they connect. */
    private readonly path: string,
  ) {
    this.#comesFromUs = comesFromUs(baseUrl);
  }

  /** By the headers of the handshake. A page of another origin brings its visitor’s cookies without asking: it is nobody. */
  of({ headers }: IncomingMessage): Who {
    return this.#comesFromUs(headers) ? () => this.callers.now(headers) : () => this.callers.now({});
  }

  /** By a token that was said: a session’s, or else an edit token. */
  with(token: string): Who {
    const isSession = token.startsWith('stele_session_');
    return () => this.callers.now(isSession ? { authorization: `Bearer ${token}` } : { 'x-svc-edit-token': token });
  }

  /** As RFC 9457 has it; null for what nobody expected. */
  problemOf(refusal: Refusal | null): object {
    const met = { baseUrl: this.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, met) : unexpectedBody(met);
  }
}
