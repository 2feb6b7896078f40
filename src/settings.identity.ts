import { z } from 'zod';
import { SettingsFault } from './settings.fault.js';
import { issuer } from './settings.forms.js';

/** The environment’s part about an identity provider. */
export const identityProviderEnvironment = {
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(2_000).optional(),
  OIDC_NAME: z.string().trim().min(1).max(60).optional(),
};

/** The identity provider at which people may sign in with an account they have there (OpenID Connect). */
export type IdentityProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which has PKCE instead. */
  readonly clientSecret: string | null;
  /** The name that the sign-in page shows. */
  readonly name: string;
};

/** Null where none of it is set. Throws `SettingsFault` where only a part is. */
export function identityProviderIn(
  env: z.output<z.ZodObject<typeof identityProviderEnvironment>>,
): IdentityProviderSettings | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = env;
  if ((OIDC_ISSUER ?? OIDC_CLIENT_ID ?? OIDC_CLIENT_SECRET ?? OIDC_NAME) === undefined) return null;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined)
    throw new SettingsFault(
      'OIDC_ISSUER, OIDC_CLIENT_ID: an identity provider has both, and mostly OIDC_CLIENT_SECRET too.',
    );
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET ?? null,
    name: OIDC_NAME ?? new URL(OIDC_ISSUER).hostname,
  };
}
