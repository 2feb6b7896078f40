import { IdentityProvider } from '../../kernel/ports/outside/identity-provider.js';
import { refuse } from '../../kernel/refusal.js';

/** No provider is configured. */
export class NoIdentityProvider extends IdentityProvider {
  override readonly name = null;

  override async ask(): Promise<never> {
    return refuseAll();
  }

  override async whoCameBack(): Promise<never> {
    return refuseAll();
  }
}

const refuseAll = () =>
  refuse('unavailable', 'This service has no identity provider: its operator has to set OIDC_ISSUER. Sign in by mail.');
