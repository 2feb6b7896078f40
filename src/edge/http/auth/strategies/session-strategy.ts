import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Session, SessionStore } from '../../../../accounts/people/sessions.js';
import { ServiceUrls } from '../../api/service-urls.js';
import { SessionCookie } from '../cookies/session-cookie.js';
import { hashSecret } from '../secrets.js';
import { isAccessToken, parseBearer, sessionToken } from './bearer.js';
import { HeaderStrategy, type Verified } from './header-strategy.js';

export const SESSION = 'session-token';

type SentSession = { readonly token: string; readonly isBearer: boolean };

/**
 * Finds the session for a bearer token or a cookie (docs/interface/conventions.md, "Sessions"). Refuses an invalid
 * bearer token, but ignores an invalid cookie.
 */
@Injectable()
export class SessionStrategy extends PassportStrategy(HeaderStrategy<SentSession>, SESSION) {
  constructor(
    private readonly sessions: SessionStore,
    { baseUrl }: ServiceUrls,
  ) {
    const cookie = new SessionCookie(baseUrl);
    super((headers: IncomingHttpHeaders) => sessionIn(headers, cookie));
  }

  override async validate({ token, isBearer }: SentSession): Promise<Verified<Session>> {
    return (await this.sessions.use(hashSecret(token))) ?? (isBearer ? false : null);
  }
}

function sessionIn({ authorization, cookie: header }: IncomingHttpHeaders, cookie: SessionCookie): SentSession | null {
  const bearer = parseBearer(authorization);
  if (bearer !== null && isAccessToken(bearer)) return null;
  if (bearer !== null) return { token: sessionToken(bearer), isBearer: true };
  const token = cookie.read(header);
  return token === null ? null : { token, isBearer: false };
}
