import { hash, randomBytes, randomInt } from 'node:crypto';
import { hashSecret } from '../../../edge/http/auth/secrets.js';

/** Lifetime of a code or ticket (docs/interface/accounts.md, "Sign-in from a terminal"). */
export const SECONDS = 600;

/** Interval at which a terminal polls for the decision about its ticket, in seconds. */
export const INTERVAL = 5;

/**
 * Letters of codes for comparison. They are hard to confuse, and there are no vowels, so that they form no words (RFC
 * 8628 section 6.1).
 */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ';
const TYPED = '23456789abcdefghjkmnpqrstvwxyz';

const letters = (alphabet: string, count: number) =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');

/** Creates a code or a ticket: 256 random bits. */
export const makeTerminalSecret = () => randomBytes(32).toString('base64url');

/** Hashes a code or ticket. The hash includes the kind, so that a code is never accepted as a ticket or vice versa. */
export const hashTerminalSecret = (kind: 'code' | 'ticket', secret: string) => hashSecret(`${kind} ${secret}`);

/** Creates the name of an approval page: 78 random bits, short enough to type on another device. */
export const makePageName = () => letters(TYPED, 16);

/** Creates a code for comparison, for example `WDJB-MJHT`. The terminal and the approval page both show it. */
export const makeUserCode = () => `${letters(CONSONANTS, 4)}-${letters(CONSONANTS, 4)}`;

/** Computes the challenge for a verifier (RFC 7636 section 4.2, `S256`). */
export const computeChallenge = (verifier: string) => hash('sha256', verifier, 'base64url');
