import type { IncomingMessage } from 'node:http';
import type { IdentifyCaller } from '../../../kernel/command-context.js';
import type { Ids } from '../../../kernel/ids.js';
import type { Refusal } from '../../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { problemBody, unexpectedBody } from '../problems/send-problem.js';
import type { Authentication } from './authentication.js';

/** Authenticates the callers of WebSockets and formats refusals for them. */
export class SocketAuthentication {
  readonly #isOwnOrigin: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly authentication: Authentication,
    private readonly ids: Ids,
    private readonly baseUrl: string,
    /** The path of the WebSocket. */
    private readonly path: string,
  ) {
    this.#isOwnOrigin = ownOriginCheck(baseUrl);
  }

  /**
   * Returns a function that identifies a caller from the headers of the handshake. A caller on a page of another origin
   * counts as anonymous, because browsers attach cookies to every handshake.
   */
  of({ headers }: IncomingMessage): IdentifyCaller {
    return this.#isOwnOrigin(headers)
      ? () => this.authentication.currentCaller(headers)
      : () => this.authentication.currentCaller({});
  }

  /**
   * Returns a function that identifies a caller from a token in a message, which can be an edit token or a session
   * token.
   */
  with(token: string): IdentifyCaller {
    const isEditToken = token.startsWith('stele_edit_');
    return () =>
      this.authentication.currentCaller(
        isEditToken ? { 'x-svc-edit-token': token } : { authorization: `Bearer ${token}` },
      );
  }

  /** Returns the RFC 9457 problem details for a refusal. Null means an unexpected error. */
  problemOf(refusal: Refusal | null): object {
    const occurrence = { baseUrl: this.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, occurrence) : unexpectedBody(occurrence);
  }
}
