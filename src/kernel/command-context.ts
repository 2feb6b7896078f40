import type { Actor } from './event-store.js';
import type { Delegation } from './rights/delegation.js';

/** The caller of a request, as business rules see it. Contains hashes, never tokens. */
export type Caller = {
  /** The hexadecimal SHA-256 hash of the caller's edit token. */
  readonly editTokenHash: string | null;
  /** The user's ID, or null for an anonymous caller. */
  readonly userId: string | null;
  /** ID of the session in which the user acts. Absent if a connected app or token acts for the user. */
  readonly sessionId?: string;
  /** The connected app or token that acts for the user with limited rights. Absent if the user acts directly. */
  readonly delegation?: Delegation;
};

/** Identifies the current caller. Long-lived connections call this repeatedly, because the session can end. */
export type IdentifyCaller = () => Promise<Caller>;

export const toActor = ({ userId, delegation }: Caller): Actor => {
  if (userId === null) return { kind: 'anonymous' };
  return { kind: 'user', id: userId, ...(delegation && meansOf(delegation)) };
};

const meansOf = (delegation: Delegation): Partial<Actor> =>
  delegation.kind === 'program'
    ? { client: delegation.clientName, grant: delegation.id }
    : { token: delegation.id, ...(delegation.publisherId !== null && { publisher: delegation.publisherId }) };

/** The caller and time of a command. `at` is the time in RFC 3339 format. */
export type CommandContext = { readonly at: string; readonly caller: Caller };

/** The actor and time of a command whose rules do not depend on the caller. `at` is the time in RFC 3339 format. */
export type ActorContext = { readonly at: string; readonly actor: Actor };

export const bySystem = (at: string): ActorContext => ({ at, actor: { kind: 'system' } });

export const toAuthor = (context: CommandContext | ActorContext): ActorContext => ({
  at: context.at,
  actor: 'actor' in context ? context.actor : toActor(context.caller),
});

/** Compares two hexadecimal digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
