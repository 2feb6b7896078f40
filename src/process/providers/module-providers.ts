import { type Provider } from '@nestjs/common';
import { AccessLog } from '../../kernel/ports/access-log.js';
import { AccountErasure } from '../../kernel/ports/account-erasure.js';
import { CertifiableHosts } from '../../kernel/ports/certifiable-hosts.js';
import { ClaimedSiteJobs } from '../../kernel/ports/claimed-site-jobs.js';
import { ConnectorHosts, ConnectorSites } from '../../kernel/ports/connector-sites.js';
import { DomainSites } from '../../kernel/ports/domain-sites.js';
import { JobSites } from '../../kernel/ports/job-sites.js';
import { PagePublishing } from '../../kernel/ports/page-publishing.js';
import { ProbeFindings } from '../../kernel/ports/probe-findings.js';
import { ProbeSite } from '../../kernel/ports/probe-site.js';
import { ServerCounts } from '../../kernel/ports/server-counts.js';
import { ServerSites } from '../../kernel/ports/server-sites.js';
import { SiteHosts } from '../../kernel/ports/site-hosts.js';
import { SiteServers } from '../../kernel/ports/site-servers.js';
import { SiteShares } from '../../kernel/ports/site-shares.js';
import { StreamRetention } from '../../kernel/ports/stream-retention.js';
import { TrafficSites } from '../../kernel/ports/traffic-sites.js';
import { SiteJobStopper } from '../../modules/jobs/worker/site-job-stopper.js';
import { RelayKey } from '../../modules/servers/relay/relay-key.js';
import { KnownServers } from '../../modules/servers/use/known-servers.js';
import { ServedConnectors } from '../../modules/serving/sites/connector-hosts.js';
import { ServedHosts } from '../../modules/serving/sites/served-hosts.js';
import { SiteAddresses } from '../../modules/serving/sites/site-addresses.js';
import { SiteTraffic } from '../../modules/sites/history/traffic/site-traffic.js';
import { Leaving } from '../../modules/sites/people/leave/leaving.js';
import { SiteJobs } from '../../modules/sites/publish/jobs/site-jobs.js';
import { SitePages } from '../../modules/sites/publish/pages/site-pages.js';
import { SiteProbe } from '../../modules/sites/publish/probe/site-probe.js';
import { SharesOfSites } from '../../modules/sites/publish/shares/site-shares.js';
import { SiteConnectors } from '../../modules/sites/settings/connector/site-connectors.js';
import { SiteDomains } from '../../modules/sites/settings/domains/site-domains.js';
import { SitePrograms } from '../../modules/sites/settings/servers/site-programs.js';
import { Prober } from '../../modules/status/probes/prober.js';
import { Recorder } from '../../modules/traffic/record/recorder.js';
import { BuildSettings, JobSettings } from '../../settings/build-settings.js';
import { AnonymousExpiry, LimitsOfDeploys, StorageShares } from '../../settings/deploy-settings.js';
import { GenerationSettings } from '../../settings/generation-settings.js';
import { ServerSettings } from '../../settings/server-settings.js';
import { ConnectorSettings, SecurityContact } from '../../settings/settings.js';
import { StatusSettings } from '../../settings/status-settings.js';
import { TrafficSettings } from '../../settings/traffic-settings.js';
import { ProcessContext } from '../context.js';

/** Settings of the modules, and ports of one module that another implements. */
export const moduleProviders = ({ settings, rootKey }: ProcessContext): Provider[] => [
  {
    provide: LimitsOfDeploys,
    useValue: new LimitsOfDeploys(settings.anonymousLimits, settings.signedInLimits, settings.builds.programBytes),
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
  { provide: SiteServers, useExisting: KnownServers },
  { provide: ServerCounts, useFactory: () => new ServerCounts() },
  { provide: ServerSites, useExisting: SitePrograms },
  { provide: JobSites, useExisting: SiteJobs },
  { provide: ClaimedSiteJobs, useExisting: SiteJobStopper },
  { provide: SiteShares, useExisting: SharesOfSites },
  { provide: ProbeSite, useExisting: SiteProbe },
  { provide: ProbeFindings, useExisting: Prober },
  { provide: PagePublishing, useExisting: SitePages },
  { provide: CertifiableHosts, useExisting: ServedHosts },
  { provide: DomainSites, useExisting: SiteDomains },
  { provide: TrafficSites, useExisting: SiteTraffic },
  { provide: AccessLog, useExisting: Recorder },
  { provide: SiteHosts, useExisting: SiteAddresses },
  { provide: ConnectorSites, useExisting: SiteConnectors },
  { provide: ConnectorHosts, useExisting: ServedConnectors },
  { provide: AccountErasure, useExisting: Leaving },
];
