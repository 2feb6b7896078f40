import { hash, randomBytes, randomInt } from 'node:crypto';
import { hashSecret } from '../../../edge/http/auth/secrets.js';

/** Lifetime of a code or ticket (docs/interface/accounts.md, "Sign-in from a terminal"). */
export const SECONDS = 600;

/** Interval at which a terminal polls for the decision about its ticket, in seconds. */
export const INTERVAL_SECONDS = 5;

/**
 * Letters of the codes that users compare between their terminal and the approval page. The letters are hard to
 * confuse. There are no vowels, so they form no words (RFC 8628 section 6.1).
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

/**
 * Creates a code that the terminal and the approval page both show, so that the user can compare them, for example
 * `WDJB-MJHT`.
 */
export const makeUserCode = () => `${letters(CONSONANTS, 4)}-${letters(CONSONANTS, 4)}`;

/** Computes the challenge for a verifier (RFC 7636 section 4.2, `S256`). */
export const computeChallenge = (verifier: string) => hash('sha256', verifier, 'base64url');
