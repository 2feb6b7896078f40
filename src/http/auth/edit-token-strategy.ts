import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { HeaderStrategy } from './header-strategy.js';
import { hashSecret } from './secrets.js';

export const EDIT_TOKEN = 'edit-token';

/** The holder of an edit token, known by its SHA-256 in hexadecimal. */
export type EditTokenHolder = { readonly editTokenHash: string };

/** Accepts any edit token: which site it is for, and whether it is still valid, is decided by the site’s rule. */
@Injectable()
export class EditTokenStrategy extends PassportStrategy(HeaderStrategy<string>, EDIT_TOKEN) {
  constructor() {
    super(({ 'x-svc-edit-token': token }: IncomingHttpHeaders) => (typeof token === 'string' && token) || null);
  }

  override validate(token: string): EditTokenHolder {
    return { editTokenHash: hashSecret(token) };
  }
}
