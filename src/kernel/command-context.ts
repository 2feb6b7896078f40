import type { Actor } from './event-store.js';
import type { Delegation } from './rights/delegation.js';

/** The author of a request, as rules see them. Contains hashes, never tokens. */
export type Caller = {
  /** SHA-256 hash of the request’s edit token in hexadecimal, or null if it has none. */
  readonly editTokenHash: string | null;
  /** The signed-in user, or null for an anonymous caller. */
  readonly userId: string | null;
  /** The connected app or token that acts for the user with limited rights. Absent if the user acts directly. */
  readonly delegation?: Delegation;
};

/** Identifies the current caller. Long-lived connections call this repeatedly, because the session might have ended. */
export type IdentifyCaller = () => Promise<Caller>;

/** Returns the actor for the caller’s events: the user, and the connected app or token that acts for them. */
export const toActor = ({ userId, delegation }: Caller): Actor => {
  if (userId === null) return { kind: 'anonymous' };
  return { kind: 'user', id: userId, ...(delegation && meansOf(delegation)) };
};

const meansOf = (delegation: Delegation): Partial<Actor> =>
  delegation.kind === 'program'
    ? { client: delegation.clientName, grant: delegation.id }
    : { token: delegation.id, ...(delegation.publisherId !== null && { publisher: delegation.publisherId }) };

/** The context of a caller’s command: its time (RFC 3339) and the caller. */
export type CommandContext = { readonly at: string; readonly caller: Caller };

/**
 * The context of a command whose rules do not depend on the caller: its time (RFC 3339) and the actor of its events.
 */
export type ActorContext = { readonly at: string; readonly actor: Actor };

/** Returns the context for an action of the service itself at this time (RFC 3339). */
export const bySystem = (at: string): ActorContext => ({ at, actor: { kind: 'system' } });

/** Returns the time and the actor with which events of this context are recorded. */
export const toAuthor = (context: CommandContext | ActorContext): ActorContext => ({
  at: context.at,
  actor: 'actor' in context ? context.actor : toActor(context.caller),
});

/** Compares two hexadecimal digests in constant time, so that timing does not reveal how many digits match. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
