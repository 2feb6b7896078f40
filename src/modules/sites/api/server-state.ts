export const serverStates = ['starting', 'running', 'sleeping', 'crashed'] as const;
export type ServerState = (typeof serverStates)[number];

export type ServerStanding = {
  readonly state: ServerState;
  readonly since: Date;
  /** Why the server crashed; null in every other state. */
  readonly reason: string | null;
};

/** Reads the state of sites' servers. Implemented by `modules/servers`, because `sites` imports no other module. */
export abstract class ServerStateLookup {
  /** Returns the state of a deploy's server, or null if no request has needed the server yet. */
  abstract find(deployId: string): Promise<ServerStanding | null>;
}
