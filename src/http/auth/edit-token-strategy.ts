import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderStrategy } from './header-strategy.js';
import { hashSecret } from './secrets.js';

export const EDIT_TOKEN = 'edit-token';

/** Whoever holds an edit token: its SHA-256 in hexadecimal. */
export type Holder = { readonly editTokenHash: string };

/** Whoever sends an edit token holds it: which site it is for, and whether it still counts, the site's rule knows. */
@Injectable()
export class EditTokenStrategy extends PassportStrategy(HeaderStrategy<string>, EDIT_TOKEN) {
  constructor() {
    super(({ 'x-svc-edit-token': token }: IncomingHttpHeaders) => (typeof token === 'string' && token) || null);
  }

  override validate(token: string): Holder {
    return { editTokenHash: hashSecret(token) };
  }
}
