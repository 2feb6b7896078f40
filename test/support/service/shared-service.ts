/** A service that all files of a Jest worker share, as these files see it. */
export type SharedService = {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** A file with its output. */
  readonly printedTo: string;
  /** The address of its events in EventStoreDB; empty if they are in its database. */
  readonly eventStoreUrl: string;
};
