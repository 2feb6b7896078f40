import type { Actor } from './event-store.js';
import type { Delegation } from './rights/delegation.js';

/** Who is asking, as far as a rule may know: hashes, never tokens. */
export type Caller = {
  /** SHA-256 of the edit token that came with the request, hexadecimal; null without one. */
  readonly editTokenHash: string | null;
  /** Who is signed in; null for an anonymous caller. */
  readonly userId: string | null;
  /** What acts for them with less than their rights; left out where they act themselves. */
  readonly delegation?: Delegation;
};

/**
 * Identifies the caller as of now. A long-lived connection asks again and again, as a session may have ended meanwhile.
 */
export type IdentifyCaller = () => Promise<Caller>;

/** Whom events name: the person, and beside them the program or the token that acts for them. */
export const actorOf = ({ userId, delegation }: Caller): Actor => {
  if (userId === null) return { kind: 'anonymous' };
  return { kind: 'user', id: userId, ...(delegation && meansOf(delegation)) };
};

const meansOf = (delegation: Delegation): Partial<Actor> =>
  delegation.kind === 'program'
    ? { client: delegation.clientName, grant: delegation.id }
    : { token: delegation.id, ...(delegation.publisherId !== null && { publisher: delegation.publisherId }) };

/** What every command of a caller brings from the edge: the time it was given (RFC 3339), and who gave it. */
export type CommandContext = { readonly at: string; readonly caller: Caller };

/** The context of a command whose rule asks nothing of a caller: the time (RFC 3339), and whom its events name. */
export type ActorContext = { readonly at: string; readonly actor: Actor };

/** The context of what the service does by itself at that time (RFC 3339). */
export const bySystem = (at: string): ActorContext => ({ at, actor: { kind: 'system' } });

/** When and by whom events are recorded: what a context says of that, and nothing else of it. */
export const authorOf = (context: CommandContext | ActorContext): ActorContext => ({
  at: context.at,
  actor: 'actor' in context ? context.actor : actorOf(context.caller),
});

/** Compares two hexadecimal digests in constant time: how long it takes does not reveal how much of them is equal. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
