/** A service that all files of a Jest worker share. */
export type SharedService = {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** File that contains the service's output. */
  readonly printedTo: string;
  /** Address of the service's events in EventStoreDB; empty if they are in the database. */
  readonly eventStoreUrl: string;
};
