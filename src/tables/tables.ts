import { agentArtifactsTable } from './agents/agent-artifacts.js';
import { agentClientsTable } from './agents/agent-clients.js';
import { agentGrantsTable } from './agents/agent-grants.js';
import { certificateRequestsTable } from './certificate-requests.js';
import { connectorTokensTable } from './connector/connector-tokens.js';
import { workAnswersTable } from './connector/work-answers.js';
import { workQueueTable } from './connector/work-queue.js';
import { domainChecksTable } from './domain-checks.js';
import { generationsTable } from './generations.js';
import { idempotencyTable } from './idempotency/idempotency-keys.js';
import { jobLogSharesTable } from './job-log-shares.js';
import { jobQueueTable } from './job-queue.js';
import { auditKeysTable } from './keys/audit-keys.js';
import { invitesTable } from './people/invites.js';
import { mailedLinksTable } from './people/mailed-links.js';
import { peopleTable } from './people/people.js';
import { sessionsTable } from './people/sessions.js';
import { signInAttemptsTable } from './people/sign-in-attempts.js';
import { terminalSignInsTable } from './people/terminal-sign-ins.js';
import { usedTicketsTable } from './people/used-tickets.js';
import { waitlistTable } from './people/waitlist.js';
import { runWritersTable } from './run-writers.js';
import { serverLeasesTable } from './servers/server-leases.js';
import { serverLogTable } from './servers/server-log.js';
import { shareUseTable } from './shares/share-use.js';
import { siteNetworksTable } from './shares/site-networks.js';
import { unclaimedContentTable } from './shares/unclaimed-content.js';
import { sitePasswordsTable } from './site-passwords.js';
import { incidentsTable } from './status/incidents.js';
import { probeResultsTable } from './status/probe-results.js';
import type { Table } from './table.js';
import { accessTokensTable } from './tokens/access-tokens.js';
import { publishersTable } from './tokens/publishers.js';
import { accessEntriesTable } from './traffic/access-entries.js';
import { trafficRollUpsTable } from './traffic/roll-ups/traffic-roll-ups.js';
import { siteActivityTable } from './traffic/site-log/site-activity.js';
import { siteLogTable } from './traffic/site-log/site-log.js';
import { visitorSaltsTable } from './traffic/visitor-salts.js';
import { heldUploadsTable } from './uploads/held-uploads.js';
import { vaultTable } from './vault.js';

/** The tables beside the log, in the order in which they are created. What is here is also cleaned and injected. */
export const tables: readonly Table[] = [
  auditKeysTable,
  vaultTable,
  waitlistTable,
  peopleTable,
  sessionsTable,
  publishersTable,
  accessTokensTable,
  mailedLinksTable,
  invitesTable,
  terminalSignInsTable,
  signInAttemptsTable,
  sitePasswordsTable,
  usedTicketsTable,
  runWritersTable,
  idempotencyTable,
  heldUploadsTable,
  jobQueueTable,
  jobLogSharesTable,
  domainChecksTable,
  certificateRequestsTable,
  generationsTable,
  connectorTokensTable,
  workQueueTable,
  workAnswersTable,
  siteLogTable,
  accessEntriesTable,
  visitorSaltsTable,
  siteActivityTable,
  probeResultsTable,
  incidentsTable,
  agentGrantsTable,
  agentArtifactsTable,
  agentClientsTable,
  trafficRollUpsTable,
  serverLeasesTable,
  serverLogTable,
  siteNetworksTable,
  shareUseTable,
  unclaimedContentTable,
];
