export const serverStates = ['starting', 'running', 'sleeping', 'crashed'] as const;
export type ServerState = (typeof serverStates)[number];

/** The state of a server. */
export type ServerStanding = {
  readonly state: ServerState;
  /** When this state began. */
  readonly since: Date;
  /** Why the server crashed; null in every other state. */
  readonly reason: string | null;
};

/** Tells in which state the server of a deploy is. `modules/servers` implements it, because `sites` imports no module. */
export abstract class ServerStateLookup {
  /** Returns null if no request has needed the server yet. */
  abstract find(deployId: string): Promise<ServerStanding | null>;
}
