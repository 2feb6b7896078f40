import { Departures } from '../../kernel/departures.js';
import { SitesForJobs } from '../../kernel/sites-for-jobs.js';
import { StreamsKept } from '../../kernel/streams-kept.js';
import { SiteJobs } from '../../modules/sites/jobs/site-jobs.js';
import { Leaving } from '../../modules/sites/leave/leaving.js';
import { JobSettings, LimitsOfDeploys, SecurityContact } from '../../settings.js';
import type { Surroundings } from '../surroundings.js';

/** What modules are told by the operator, and what one does for another without either knowing. */
export const modulePorts = ({ settings }: Surroundings) => [
  { provide: LimitsOfDeploys, useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits) },
  { provide: JobSettings, useValue: settings.jobs },
  { provide: StreamsKept, useValue: settings.streamsKept },
  { provide: SecurityContact, useValue: settings.securityContact },
  { provide: SitesForJobs, useExisting: SiteJobs },
  { provide: Departures, useExisting: Leaving },
];
