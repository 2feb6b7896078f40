import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { hashSecret } from '../secrets.js';
import { editTokenIn } from './bearer.js';
import { HeaderStrategy } from './header-strategy.js';

export const EDIT_TOKEN = 'edit-token';

/** The holder of an edit token, known by its SHA-256 in hexadecimal. */
export type EditTokenHolder = { readonly editTokenHash: string };

/** Accepts whatever has the shape of an edit token: of which site it is, and whether it still holds, is decided by the site’s rule. */
@Injectable()
export class EditTokenStrategy extends PassportStrategy(HeaderStrategy<string>, EDIT_TOKEN) {
  constructor() {
    super(({ 'x-svc-edit-token': token }: IncomingHttpHeaders) => editTokenIn(token));
  }

  override validate(token: string): EditTokenHolder {
    return { editTokenHash: hashSecret(token) };
  }
}
