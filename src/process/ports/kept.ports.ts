import { AuditKeys } from '../../kernel/ports/audit-keys.js';
import { IdempotencyKeys } from '../../kernel/ports/idempotency.js';
import { Invites } from '../../kernel/ports/invites.js';
import { JobQueue } from '../../kernel/ports/job-queue.js';
import { MailedLinks } from '../../kernel/ports/mailed-links.js';
import { People } from '../../kernel/ports/people.js';
import { type AddressKeeper, AddressKeepers } from '../../kernel/ports/personal-data-stores.js';
import { RunWriters } from '../../kernel/ports/run-writers.js';
import { Sessions } from '../../kernel/ports/sessions.js';
import { SignInAttempts } from '../../kernel/ports/sign-in-attempts.js';
import { SitePasswords } from '../../kernel/ports/site-passwords.js';
import { TerminalSignIns } from '../../kernel/ports/terminal-sign-ins.js';
import { UsedTickets } from '../../kernel/ports/used-tickets.js';
import { Vault } from '../../kernel/ports/vault.js';
import { Waitlist } from '../../kernel/ports/waitlist.js';
import { IdempotencyTable } from '../../tables/idempotency.js';
import { JobQueueTable } from '../../tables/job-queue.js';
import { AuditKeysTable } from '../../tables/keys/audit-keys.js';
import { InvitesTable } from '../../tables/people/invites.js';
import { MailedLinksTable } from '../../tables/people/mailed-links.js';
import { PeopleTable } from '../../tables/people/people.js';
import { SessionsTable } from '../../tables/people/sessions.js';
import { SignInAttemptsTable } from '../../tables/people/sign-in-attempts.js';
import { TerminalSignInsTable } from '../../tables/people/terminal-sign-ins.js';
import { UsedTicketsTable } from '../../tables/people/used-tickets.js';
import { WaitlistTable } from '../../tables/people/waitlist.js';
import { RunWritersTable } from '../../tables/run-writers.js';
import { SitePasswordsTable } from '../../tables/site-passwords.js';
import { VaultTable } from '../../tables/vault.js';
import type { Surroundings } from '../process-context.js';

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
