/** Tickets that have let somebody in, so that each does so once, on whichever process. */
export abstract class UsedTickets {
  /** Uses a ticket up, durably: true for one of any number who try at once. `expiresAt` (ms) is when it may be forgotten. */
  abstract use(ticketId: string, expiresAt: number): Promise<boolean>;
}
