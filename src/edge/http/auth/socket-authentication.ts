import type { IncomingMessage } from 'node:http';
import type { IdentifyCaller } from '../../../kernel/command-context.js';
import type { Ids } from '../../../kernel/ids.js';
import type { Refusal } from '../../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { problemBody, unexpectedBody } from '../problems/send-problem.js';
import type { Authentication } from './authentication.js';

/** Authenticates the callers of WebSockets and formats their refusals. */
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
   * Identifies a caller by the headers of the handshake. From a page of another origin, the caller counts as anonymous,
   * because browsers attach cookies to every handshake.
   */
  of({ headers }: IncomingMessage): IdentifyCaller {
    return this.#isOwnOrigin(headers)
      ? () => this.authentication.currentCaller(headers)
      : () => this.authentication.currentCaller({});
  }

  /** Identifies a caller by a token in a message: an edit token or a session token. */
  with(token: string): IdentifyCaller {
    const isEditToken = token.startsWith('stele_edit_');
    return () =>
      this.authentication.currentCaller(
        isEditToken ? { 'x-svc-edit-token': token } : { authorization: `Bearer ${token}` },
      );
  }

  /** The RFC 9457 problem of a refusal, or of an unexpected error for null. */
  problemOf(refusal: Refusal | null): object {
    const occurrence = { baseUrl: this.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, occurrence) : unexpectedBody(occurrence);
  }
}
