import { z } from 'zod';
import { setting } from './declaration.js';
import { issuer } from './forms.js';
import { SettingsError } from './settings-fault.js';

export const identityProviderEnvironment = {
  OIDC_ISSUER: setting(issuer.optional(), {
    description:
      'Issuer URL of the OpenID Connect provider that users can sign in with. Register `{STELE_BASE_URL}/v1/auth/idp/callback` as a redirect URI with the provider. Requires `OIDC_CLIENT_ID`.',
    form: 'an https URL without a query, such as https://login.example.org (http only for a loopback address)',
    unset: 'users can sign in only by email',
  }),
  OIDC_CLIENT_ID: setting(z.string().max(500).optional(), {
    description: 'Client ID registered with the provider. Requires `OIDC_ISSUER`.',
    form: 'a client ID of at most 500 characters',
    unset: 'none',
  }),
  OIDC_CLIENT_SECRET: setting(z.string().max(2_000).optional(), {
    description: 'Client secret that belongs to the client ID.',
    form: 'a secret of at most 2000 characters',
    unset: 'Stele is a public client and relies on PKCE alone',
  }),
  OIDC_NAME: setting(z.string().trim().min(1).max(60).optional(), {
    description: 'Name of the provider as shown on the sign-in page.',
    form: 'a name of 1 to 60 characters',
    unset: 'the host of `OIDC_ISSUER`',
  }),
};

export type IdentityProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** Client secret. Null for a public client, which uses only PKCE. */
  readonly clientSecret: string | null;
  /** Name of the provider on the sign-in page. */
  readonly name: string;
};

/** Returns null if none of the OIDC settings is set. Throws `SettingsError` if required ones are missing. */
export function readIdentityProviderSettings(
  env: z.output<z.ZodObject<typeof identityProviderEnvironment>>,
): IdentityProviderSettings | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = env;
  if ((OIDC_ISSUER ?? OIDC_CLIENT_ID ?? OIDC_CLIENT_SECRET ?? OIDC_NAME) === undefined) return null;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined)
    throw new SettingsError(
      'OIDC_ISSUER and OIDC_CLIENT_ID must be set together. Most providers also require OIDC_CLIENT_SECRET.',
    );
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET ?? null,
    name: OIDC_NAME ?? new URL(OIDC_ISSUER).hostname,
  };
}
