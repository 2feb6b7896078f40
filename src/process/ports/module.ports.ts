import { Departures } from '../../kernel/ports/account-erasure.js';
import { SitesForJobs } from '../../kernel/ports/job-sites.js';
import { StreamsKept } from '../../kernel/ports/stream-retention.js';
import { SiteJobs } from '../../modules/sites/jobs/site-jobs.js';
import { Leaving } from '../../modules/sites/leave/leaving.js';
import { JobSettings, LimitsOfDeploys, SecurityContact } from '../../settings.js';
import type { Surroundings } from '../process-context.js';

/** What modules are told by the operator, and what one does for another without either knowing. */
export const modulePorts = ({ settings }: Surroundings) => [
  { provide: LimitsOfDeploys, useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits) },
  { provide: JobSettings, useValue: settings.jobs },
  { provide: StreamsKept, useValue: settings.streamsKept },
  { provide: SecurityContact, useValue: settings.securityContact },
  { provide: SitesForJobs, useExisting: SiteJobs },
  { provide: Departures, useExisting: Leaving },
];
