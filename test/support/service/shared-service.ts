/** A service that all files of a Jest worker share, as they see it. */
export type SharedService = {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** A file with everything that it prints. */
  readonly printedTo: string;
  /** Where in EventStoreDB its events live; empty when they are in its database. */
  readonly eventStoreUrl: string;
};
