import { type AddressKeeper, AddressKeepers } from '../../kernel/address-keepers.js';
import { AuditKeys } from '../../kernel/audit-keys.js';
import { IdempotencyKeys } from '../../kernel/idempotency.js';
import { Invites } from '../../kernel/invites.js';
import { JobQueue } from '../../kernel/job-queue.js';
import { MailedLinks } from '../../kernel/mailed-links.js';
import { People } from '../../kernel/people.js';
import { RunWriters } from '../../kernel/run-writers.js';
import { Sessions } from '../../kernel/sessions.js';
import { SignInAttempts } from '../../kernel/sign-in-attempts.js';
import { SitePasswords } from '../../kernel/site-passwords.js';
import { TerminalSignIns } from '../../kernel/terminal-sign-ins.js';
import { UsedTickets } from '../../kernel/used-tickets.js';
import { Vault } from '../../kernel/vault.js';
import { Waitlist } from '../../kernel/waitlist.js';
import { AuditKeysTable } from '../../tables/audit-keys.js';
import { IdempotencyTable } from '../../tables/idempotency.js';
import { InvitesTable } from '../../tables/invites.js';
import { JobQueueTable } from '../../tables/job-queue.js';
import { MailedLinksTable } from '../../tables/mailed-links.js';
import { PeopleTable } from '../../tables/people.js';
import { RunWritersTable } from '../../tables/run-writers.js';
import { SessionsTable } from '../../tables/sessions.js';
import { SignInAttemptsTable } from '../../tables/sign-in-attempts.js';
import { SitePasswordsTable } from '../../tables/site-passwords.js';
import { TerminalSignInsTable } from '../../tables/terminal-sign-ins.js';
import { UsedTicketsTable } from '../../tables/used-tickets.js';
import { VaultTable } from '../../tables/vault.js';
import { WaitlistTable } from '../../tables/waitlist.js';
import type { Surroundings } from '../surroundings.js';

/** What is kept beside the log, and may be erased. */
export const keptPorts = ({ settings, pool, masterKey, rootKey }: Surroundings) => [
  { provide: People, useFactory: () => new PeopleTable(pool) },
  { provide: Sessions, useFactory: () => new SessionsTable(pool) },
  { provide: MailedLinks, useFactory: () => new MailedLinksTable(pool, rootKey) },
  { provide: Invites, useFactory: () => new InvitesTable(pool) },
  { provide: TerminalSignIns, useFactory: () => new TerminalSignInsTable(pool) },
  { provide: SignInAttempts, useFactory: () => new SignInAttemptsTable(pool) },
  { provide: SitePasswords, useFactory: () => new SitePasswordsTable(pool, rootKey) },
  { provide: UsedTickets, useFactory: () => new UsedTicketsTable(pool) },
  { provide: RunWriters, useFactory: () => new RunWritersTable(pool) },
  { provide: Waitlist, useFactory: () => new WaitlistTable(pool) },
  { provide: AuditKeys, useFactory: () => new AuditKeysTable(pool, masterKey) },
  { provide: Vault, useFactory: () => new VaultTable(pool, masterKey) },
  { provide: JobQueue, useFactory: () => new JobQueueTable(pool, settings.jobs.leaseMs) },
  { provide: IdempotencyKeys, useFactory: () => new IdempotencyTable(pool) },
  {
    provide: AddressKeepers,
    inject: [Waitlist, MailedLinks, Invites, IdempotencyKeys],
    useFactory: (...keepers: AddressKeeper[]) => new AddressKeepers(keepers),
  },
];
