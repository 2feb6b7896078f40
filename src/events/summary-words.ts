import { formatBytes, plural } from '../kernel/output/quantities.js';

/** Name of a person who has left. */
export const FORMER = 'a former member';
/** Name of a member for readers who see neither their name nor their address. */
export const MEMBER = 'a member';

/** Looks up the names of people and things that events identify only by ID. */
export type Names = {
  readonly person: (userId: string) => string;
  /** Name of the script that uses a token; `CI` if it has none. */
  readonly script: (means: { readonly token?: string; readonly publisher?: string }) => string;
  /** Number of a deploy of the site; null if it is unknown. */
  readonly deploy: (deployId: string) => number | null;
  /** E-mail address of an invite; null if it is unknown or hidden from the reader. */
  readonly invited: (inviteId: string) => string | null;
};

export const NO_NAMES: Names = { person: () => MEMBER, script: () => 'CI', deploy: () => null, invited: () => null };

export type SummaryActor = {
  readonly kind?: string;
  readonly id?: string;
  /** The connected app that acted for the user. */
  readonly client?: string;
  readonly grant?: string;
  readonly token?: string;
  readonly publisher?: string;
};

/** The data that a summary can use in addition to the event’s own. */
export type SummaryContext = { readonly actor: SummaryActor; readonly names: Names };

type DeployData = {
  readonly number: number;
  readonly message: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly program: unknown;
};

/** `Deploy 2 “second”`; the message is left out if there is none. */
export const deployTitle = ({ number, message }: DeployData) => `Deploy ${number}${message ? ` “${message}”` : ''}`;

export const deployContent = ({ files, bytes, program }: DeployData) =>
  `${program ? 'a server' : plural(files, 'file')}, ${formatBytes(bytes)}`;

/** `deploy 1`. Some events identify deploys only by ID, and readers without a database do not know their numbers. */
export function deployName(
  { deployId, number = null }: { readonly deployId: string; readonly number?: number | null },
  names: Names,
): string {
  return `deploy ${number ?? names.deploy(deployId) ?? deployId}`;
}

export const withArticle = (role: string) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;

/** Changes only `FORMER` and `MEMBER`; leaves names, e-mail addresses and IDs unchanged. */
export const capitalize = (who: string) => (who === FORMER || who === MEMBER ? `A${who.slice(1)}` : who);
