import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { Refusal } from '../../kernel/refusal.js';

/**
 * Error codes that mean that the provider did not respond or violated the protocol. All other codes concern only the
 * current sign-in.
 */
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

/** Returns the codes of an error, without the content of a token, so that they can be logged. */
export function describeProviderError(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return printable(error.error);
  if (error instanceof WWWAuthenticateChallengeError) return `status ${error.status}`;
  const cause = error instanceof Error ? error.cause : undefined;
  for (const each of [error, cause])
    if (each instanceof Error && 'code' in each && typeof each.code === 'string') return each.code;
  return error instanceof Error ? error.name : 'unknown';
}

export function refusesClient(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_client' || error.status === 401;
  return error instanceof WWWAuthenticateChallengeError && error.status === 401;
}

export function toProviderRefusal(error: unknown, name: string): Refusal {
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

export const providerUnavailable = (name: string) =>
  new Refusal('unavailable', `${name} is not responding as expected. Try again shortly.`);

const printable = (text: string) => (/^[\w.-]{1,60}$/.test(text) ? text : 'unknown error');
