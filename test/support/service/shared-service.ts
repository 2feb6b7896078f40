export type SharedService = {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly printedTo: string;
  /** Address of the service's events in EventStoreDB; empty if they are in the database. */
  readonly eventStoreUrl: string;
};
