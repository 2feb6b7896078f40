import { Injectable } from '@nestjs/common';
import { AccessTokenStore } from '../../../accounts/tokens/access-tokens.js';
import { hashSecret, makeSecret } from '../../../edge/http/auth/secrets.js';
import { Ids } from '../../../kernel/ids.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';

/** Maximum number of tokens per user, enough for a separate token for each script. */
const MAX_TOKENS = 50;

type WantedToken = {
  readonly name: string;
  readonly role: DelegatedRole;
  readonly createdAt: string;
  readonly expiresAt: string | null;
};

@Injectable()
export class PersonalTokens {
  constructor(
    private readonly tokens: AccessTokenStore,
    private readonly ids: Ids,
  ) {}

  /**
   * Creates an access token. Only this call returns its secret. Refuses with `quota_exceeded` if the user already has
   * fifty tokens.
   */
  async make(userId: string, wanted: WantedToken): Promise<{ readonly tokenId: string; readonly token: string }> {
    const tokenId = this.ids.make('tok');
    const token = makeSecret('pat');
    const kept = await this.tokens.keepOfPerson(
      { ...wanted, tokenId, userId, tokenHash: hashSecret(token), site: null, publisherId: null },
      MAX_TOKENS,
    );
    if (!kept)
      refuse('quota_exceeded', `You already have ${MAX_TOKENS} access tokens. Revoke one that you no longer use.`);
    return { tokenId, token };
  }
}
