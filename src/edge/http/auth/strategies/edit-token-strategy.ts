import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { hashSecret } from '../secrets.js';
import { parseEditToken } from './bearer.js';
import { HeaderStrategy } from './header-strategy.js';

export const EDIT_TOKEN = 'edit-token';

/** The holder of an edit token. `editTokenHash` is the SHA-256 hash in hexadecimal. */
export type EditTokenHolder = { readonly editTokenHash: string };

/** Accepts every well-formed edit token. The site’s rule decides whether the token is valid for the site. */
@Injectable()
export class EditTokenStrategy extends PassportStrategy(HeaderStrategy<string>, EDIT_TOKEN) {
  constructor() {
    super(({ 'x-svc-edit-token': token }: IncomingHttpHeaders) => parseEditToken(token));
  }

  override validate(token: string): EditTokenHolder {
    return { editTokenHash: hashSecret(token) };
  }
}
