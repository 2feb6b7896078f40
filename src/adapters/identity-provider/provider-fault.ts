import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { Refusal } from '../../kernel/refusal.js';

/** The provider did not answer, or not what the protocols say. Everything else is wrong with the answer to this very question. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  undefined,
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
]);

/** What of a fault may be logged: codes, never what stood in a token. */
export function codeOf(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return printable(error.error);
  if (error instanceof WWWAuthenticateChallengeError) return `status ${error.status}`;
  const cause = error instanceof Error ? error.cause : undefined;
  for (const each of [error, cause])
    if (each instanceof Error && 'code' in each && typeof each.code === 'string') return each.code;
  return error instanceof Error ? error.name : 'unknown';
}

/** Whether the provider does not know us by what we sent to prove who we are. */
export function refusesClient(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_client' || error.status === 401;
  return error instanceof WWWAuthenticateChallengeError && error.status === 401;
}

/** What a fault in talking with the provider means for the person who wants to sign in. */
export function refusalFor(error: unknown, name: string): Refusal {
  if (error instanceof AuthorizationResponseError) {
    return ['server_error', 'temporarily_unavailable'].includes(error.error)
      ? providerUnavailable(name)
      : new Refusal('unauthenticated', `${name} did not sign you in (${printable(error.error)}).`);
  }
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant')
    return new Refusal('invalid_token', `${name} no longer recognizes this sign-in. Start again.`);
  if (error instanceof ClientError && !UNAVAILABLE.has(error.code))
    return new Refusal('invalid_token', `The response from ${name} is not valid. You were not signed in.`);
  return providerUnavailable(name);
}

/** The provider is away, is slow, or says what the protocols do not allow. */
export const providerUnavailable = (name: string) =>
  new Refusal('unavailable', `${name} is not responding as expected. Try again shortly.`);

const printable = (text: string) => (/^[\w.-]{1,60}$/.test(text) ? text : 'unknown error');
