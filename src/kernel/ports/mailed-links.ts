import type { Person } from './people.js';
import type { AddressKeeper } from './personal-data-stores.js';

/** What a mailed link is for: it serves for nothing else. */
export type LinkPurpose = 'sign-in' | 'claim' | 'invite';

export type NewLink = {
  readonly purpose: LinkPurpose;
  readonly email: string;
  /** What else whoever opens it needs to know; sealed with the link itself. */
  readonly about: Readonly<Record<string, string>>;
  /** Of the cookie of the browser that asked; null where no browser did. */
  readonly browserHash: string | null;
  readonly seconds: number;
};

export type MailedLink = {
  readonly email: string;
  readonly about: Readonly<Record<string, string>>;
};

/**
 * Links that are sent by mail, each used once. Only hashes are kept, and the address sealed with a secret that is in
 * the link alone: a copy of the database signs nobody in and names nobody.
 */
export abstract class MailedLinks implements AddressKeeper {
  /** Keeps a link. `secret` goes into the mail, and `code` for somebody who reads it on another device. */
  abstract make(link: NewLink): Promise<{ readonly secret: string; readonly code: string; readonly expiresAt: string }>;

  /** What a link holds that can still be used, and which browser asked for it. It is not used up. */
  abstract look(
    purpose: LinkPurpose,
    secret: string,
  ): Promise<(MailedLink & { readonly browserHash: string | null }) | null>;

  /** Uses a link up: of any number at once, one. Null when it is unknown, used or over. */
  abstract use(purpose: LinkPurpose, secret: string): Promise<MailedLink | null>;

  /** The same by address and code. Five wrong codes for an address end all its codes; the links stay good. */
  abstract useCode(purpose: LinkPurpose, email: string, code: string): Promise<MailedLink | null>;

  /** Ends the links that were sent for this, such as an invite that was revoked. */
  abstract revoke(purpose: LinkPurpose, key: string): Promise<void>;

  /** Ends everything that was sent to the person. */
  abstract forget(person: Pick<Person, 'email'>): Promise<void>;
}
