import { IdentityProvider } from '../../kernel/ports/outside/identity-provider.js';
import { refuse } from '../../kernel/refusal.js';

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
  refuse('unavailable', 'No identity provider is configured: the operator has not set OIDC_ISSUER. Sign in by email.');
