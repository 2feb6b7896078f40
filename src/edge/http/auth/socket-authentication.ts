import type { IncomingMessage } from 'node:http';
import type { IdentifyCaller } from '../../../kernel/command-context.js';
import type { Ids } from '../../../kernel/ids.js';
import type { Refusal } from '../../../kernel/refusal.js';
import { ownOriginCheck } from '../api/csrf.js';
import { problemBody, unexpectedBody } from '../problems/send-problem.js';
import type { Authentication } from './authentication.js';

export class SocketAuthentication {
  readonly #isOwnOrigin: ReturnType<typeof ownOriginCheck>;

  constructor(
    private readonly authentication: Authentication,
    private readonly ids: Ids,
    private readonly baseUrl: string,
    private readonly path: string,
  ) {
    this.#isOwnOrigin = ownOriginCheck(baseUrl);
  }

  /**
   * Identifies the caller of the handshake. Browsers attach cookies to every handshake, so a caller on a page of
   * another origin counts as anonymous.
   */
  of({ headers }: IncomingMessage): IdentifyCaller {
    return this.#isOwnOrigin(headers)
      ? () => this.authentication.currentCaller(headers)
      : () => this.authentication.currentCaller({});
  }

  /** Identifies the caller from the edit token or session token in a message. */
  with(token: string): IdentifyCaller {
    const isEditToken = token.startsWith('stele_edit_');
    return () =>
      this.authentication.currentCaller(
        isEditToken ? { 'x-svc-edit-token': token } : { authorization: `Bearer ${token}` },
      );
  }

  problemOf(refusal: Refusal | null): object {
    const occurrence = { baseUrl: this.baseUrl, instance: this.path, requestId: this.ids.make('req') };
    return refusal ? problemBody(refusal, occurrence) : unexpectedBody(occurrence);
  }
}
