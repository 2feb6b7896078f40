export type SharedService = {
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly printedTo: string;
  /** URL of the EventStoreDB that stores the service's events. Empty if the database stores them. */
  readonly eventStoreUrl: string;
};
