import { type Provider } from '@nestjs/common';
import { StreamRetention } from '../../kernel/ports/stream-retention.js';
import { SiteJobStopper } from '../../modules/jobs/worker/site-job-stopper.js';
import { ServerLeases } from '../../modules/servers/api/server-leases.js';
import { RelayKey } from '../../modules/servers/relay/relay-key.js';
import { ClaimedSiteJobs } from '../../modules/sites/api/claimed-site-jobs.js';
import { ServerStateLookup } from '../../modules/sites/api/server-state.js';
import { BuildSettings, JobSettings } from '../../settings/build-settings.js';
import { AnonymousExpiry, LimitsOfDeploys, StorageShares } from '../../settings/deploy-settings.js';
import { GenerationSettings } from '../../settings/generation-settings.js';
import { ServerSettings } from '../../settings/server-settings.js';
import { ConnectorSettings, SecurityContact } from '../../settings/settings.js';
import { StatusSettings } from '../../settings/status-settings.js';
import { TrafficSettings } from '../../settings/traffic-settings.js';
import { ProcessContext } from '../context.js';

/**
 * Provides the settings of modules, and everything that the module `sites` needs from other modules but must not
 * import.
 */
export const moduleProviders = ({ settings, rootKey }: ProcessContext): Provider[] => [
  {
    provide: LimitsOfDeploys,
    useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits, settings.builds.serverBytes),
  },
  { provide: AnonymousExpiry, useValue: settings.anonymousExpiry },
  { provide: StorageShares, useValue: settings.storageShares },
  { provide: BuildSettings, useValue: settings.builds },
  { provide: JobSettings, useValue: settings.jobs },
  { provide: StreamRetention, useValue: settings.streamRetention },
  { provide: ConnectorSettings, useValue: settings.connector },
  { provide: SecurityContact, useValue: settings.securityContact },
  { provide: GenerationSettings, useValue: settings.generation },
  { provide: TrafficSettings, useValue: settings.traffic },
  { provide: StatusSettings, useValue: settings.status },
  { provide: ServerSettings, useValue: settings.servers },
  { provide: RelayKey, useValue: new RelayKey(rootKey) },
  { provide: ServerStateLookup, useExisting: ServerLeases },
  { provide: ClaimedSiteJobs, useExisting: SiteJobStopper },
];
