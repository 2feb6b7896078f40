import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { AccessTokenStore, type TokenHolder } from '../../../../accounts/tokens/access-tokens.js';
import { hashSecret } from '../secrets.js';
import { accessToken, isAccessToken, parseBearer } from './bearer.js';
import { HeaderStrategy, type Verified } from './header-strategy.js';

export const ACCESS_TOKEN = 'access-token';

/** Finds the user for whom an access token acts (docs/interface/accounts.md, "Access tokens"). */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(HeaderStrategy<string>, ACCESS_TOKEN) {
  constructor(private readonly tokens: AccessTokenStore) {
    super(accessTokenIn);
  }

  override async validate(token: string): Promise<Verified<TokenHolder>> {
    return (await this.tokens.use(hashSecret(token))) ?? false;
  }
}

function accessTokenIn({ authorization }: IncomingHttpHeaders): string | null {
  const bearer = parseBearer(authorization);
  return bearer !== null && isAccessToken(bearer) ? accessToken(bearer) : null;
}
