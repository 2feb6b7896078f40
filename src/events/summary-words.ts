import { formatBytes, plural } from '../kernel/output/quantities.js';

export const FORMER = 'a former member';
/** Shown instead of a member’s name if the reader must not learn who the member is. */
export const MEMBER = 'a member';

/** Looks up the names of things that events identify only by ID. */
export type Names = {
  readonly person: (userId: string) => string;
  /** Returns the name of the script that uses a token, or `CI` if it has none. */
  readonly script: (means: { readonly token?: string; readonly publisher?: string }) => string;
  /** Returns the number of one of the site’s deploys, or null if it is unknown. */
  readonly deploy: (deployId: string) => number | null;
  /** Returns the email address of an invite, or null if it is unknown or hidden from the reader. */
  readonly invited: (inviteId: string) => string | null;
};

export const NO_NAMES: Names = { person: () => MEMBER, script: () => 'CI', deploy: () => null, invited: () => null };

export type SummaryActor = {
  readonly kind?: string;
  readonly id?: string;
  readonly client?: string;
  readonly grant?: string;
  readonly token?: string;
  readonly publisher?: string;
};

export type SummaryContext = { readonly actor: SummaryActor; readonly names: Names };

type DeployData = {
  readonly number: number;
  readonly message: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly program: unknown;
  readonly client: string | null;
};

export const deployTitle = ({ number, message }: DeployData) => `Deploy ${number}${message ? ` “${message}”` : ''}`;

export const deployContent = ({ files, bytes, program }: DeployData) =>
  `${program ? 'a server' : plural(files, 'file')}, ${formatBytes(bytes)}`;

/** Returns `, with stele-cli/0.1.0`, or nothing if the program that sent the deploy gave no name. */
export const deployClient = ({ client }: DeployData) => (client === null ? '' : `, with ${client}`);

/**
 * Returns the deploy’s name, such as `deploy 1`. Uses the deploy’s ID if the event has no number and the reader has no
 * database to look it up.
 */
export function deployName(
  { deployId, number = null }: { readonly deployId: string; readonly number?: number | null },
  names: Names,
): string {
  return `deploy ${number ?? names.deploy(deployId) ?? deployId}`;
}

export const withArticle = (role: string) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;

/** Capitalizes `who` only if it is `FORMER` or `MEMBER`. Names, email addresses and IDs must stay unchanged. */
export const capitalize = (who: string) => (who === FORMER || who === MEMBER ? `A${who.slice(1)}` : who);
