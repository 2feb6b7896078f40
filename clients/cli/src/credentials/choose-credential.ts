import type { Credential } from 'stele-api/client';
import { UsageError } from '../command-line/errors.js';
import type { ChosenInstance } from './choose-instance.js';
import type { Credentials } from './credentials-file.js';

export type ChosenCredential = {
  readonly credential: Credential | undefined;
  readonly source: 'flag' | 'variable' | 'edit token' | 'session' | 'none';
};

type Wanted = {
  readonly flag: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly credentials: Credentials;
  /** The site that the command is about, which may have an edit token. */
  readonly site?: string | undefined;
  /** Ignores `--token`, `STELE_TOKEN` and the session, but not a stored edit token of the site. */
  readonly anonymous?: boolean | undefined;
};

/**
 * Chooses the credential that a command sends. Each stored credential belongs to one instance. A token in `--token` or
 * `STELE_TOKEN` does not say to which instance it belongs. `stele.json` may have been written by somebody else, so it
 * must not decide where such a token is sent.
 */
export function chooseCredential({ url, source }: ChosenInstance, wanted: Wanted): ChosenCredential {
  const { flag, environment, credentials, site, anonymous = false } = wanted;
  const kept = credentials.instances[url];
  const editToken = site === undefined ? undefined : kept?.editTokens?.[site];
  const given = anonymous ? undefined : flag || environment.STELE_TOKEN;
  if (given) {
    assertInstanceIsTrusted({ url, source }, credentials);
    return { credential: parseToken(given), source: flag ? 'flag' : 'variable' };
  }
  if (editToken) return { credential: { kind: 'edit', token: editToken }, source: 'edit token' };
  if (kept?.token && !anonymous) return { credential: { kind: 'bearer', token: kept.token }, source: 'session' };
  return { credential: undefined, source: 'none' };
}

/**
 * Throws UsageError if only `stele.json` names the instance. That file may have been written by somebody else, so it
 * must not decide where a token is sent.
 */
export function assertInstanceIsTrusted({ url, source }: ChosenInstance, credentials: Credentials): void {
  if (source !== 'stele.json' || credentials.current === url) return;
  throw new UsageError(
    `The token was not sent, because only stele.json names ${url}. Anyone who can change that file could have the token sent elsewhere. Name the instance with --instance or STELE_INSTANCE too.`,
    [{ command: `STELE_INSTANCE=${url} stele …`, when: 'if the token is for this instance' }],
  );
}

export function parseToken(text: string): Credential {
  const token = text.trim();
  // The message must not contain the token, because logs of CI jobs are often public.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('The token contains a space, a line break or another invalid character. Copy it again.');
  return { kind: token.startsWith('stele_edit_') ? 'edit' : 'bearer', token };
}
