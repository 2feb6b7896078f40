import type { IncomingMessage } from 'node:http';
import type { IdentifyCaller } from '../../kernel/command-context.js';
import type { Ids } from '../../kernel/ids.js';
import type { Refusal } from '../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { problemBody, unexpectedBody } from '../problems/send-problem.js';
import type { Authentication } from './authentication.js';

/** Who is behind a WebSocket, and how it is told no. */
export class SocketAuthentication {
  readonly #comesFromUs: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly authentication: Authentication,
    private readonly ids: Ids,
    private readonly baseUrl: string,
    /** Where they connect. */
    private readonly path: string,
  ) {
    this.#comesFromUs = ownOriginCheck(baseUrl);
  }

  /** By the headers of the handshake. A page of another origin brings its visitor’s cookies without asking: it is nobody. */
  of({ headers }: IncomingMessage): IdentifyCaller {
    return this.#comesFromUs(headers) ? () => this.authentication.now(headers) : () => this.authentication.now({});
  }

  /** By a token that was said: a session’s, or else an edit token. */
  with(token: string): IdentifyCaller {
    const isSession = token.startsWith('stele_session_');
    return () =>
      this.authentication.now(isSession ? { authorization: `Bearer ${token}` } : { 'x-svc-edit-token': token });
  }

  /** As RFC 9457 has it; null for what nobody expected. */
  problemOf(refusal: Refusal | null): object {
    const met = { baseUrl: this.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, met) : unexpectedBody(met);
  }
}
