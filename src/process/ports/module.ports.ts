import { AccountErasure } from '../../kernel/ports/account-erasure.js';
import { JobSites } from '../../kernel/ports/job-sites.js';
import { StreamRetention } from '../../kernel/ports/stream-retention.js';
import { SiteJobs } from '../../modules/sites/jobs/site-jobs.js';
import { Leaving } from '../../modules/sites/leave/leaving.js';
import { JobSettings, LimitsOfDeploys, SecurityContact } from '../../settings.js';
import type { ProcessContext } from '../process-context.js';

/** What modules are told by the operator, and what one does for another without either knowing. */
export const modulePorts = ({ settings }: ProcessContext) => [
  { provide: LimitsOfDeploys, useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits) },
  { provide: JobSettings, useValue: settings.jobs },
  { provide: StreamRetention, useValue: settings.streamRetention },
  { provide: SecurityContact, useValue: settings.securityContact },
  { provide: JobSites, useExisting: SiteJobs },
  { provide: AccountErasure, useExisting: Leaving },
];
