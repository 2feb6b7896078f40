import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServersModule } from '../servers/servers.module.js';
import { history } from './history/history.js';
import { SiteTraffic } from './history/traffic/site-traffic.js';
import { watchSite } from './history/watch/watch-site.js';
import { acceptInvite } from './people/accept-invite/accept-invite.js';
import { claim } from './people/claim/claim.js';
import { claimPage } from './people/claim/claim.page.js';
import { invite } from './people/invite/invite.js';
import { invitesTable } from './people/invite/invites.js';
import { Leaving } from './people/leave/leaving.js';
import { members } from './people/members/members.js';
import { exchangePublisher } from './people/publishers/exchange.js';
import { publishers } from './people/publishers/publishers.js';
import { siteTokens } from './people/tokens/site-tokens.js';
import { Collection } from './publish/collect/collection.js';
import { deleteSite } from './publish/delete/delete.js';
import { Reserving } from './publish/delete/reserving.js';
import { deploy } from './publish/deploy/deploy.js';
import { DeployRights } from './publish/deploy/deploy-rights.js';
import { Expiring } from './publish/expire/expiring.js';
import { heldUploadsTable } from './publish/hold-upload/held-uploads.js';
import { holdUpload } from './publish/hold-upload/hold-upload.js';
import { RevokedCredentials } from './publish/jobs/revoked-credentials.js';
import { SiteJobs } from './publish/jobs/site-jobs.js';
import { SitePages } from './publish/pages/site-pages.js';
import { preflight } from './publish/preflight/preflight.js';
import { prepareUpload } from './publish/prepare-upload/prepare-upload.js';
import { ForgottenProbes } from './publish/probe/forgotten-probes.js';
import { SiteProbe } from './publish/probe/site-probe.js';
import { rollback } from './publish/rollback/rollback.js';
import { AnonymousContent } from './publish/shares/anonymous-content.js';
import { DeployBytes } from './publish/shares/deploy-bytes.js';
import { SharesOfSites } from './publish/shares/site-shares.js';
import { takeDown } from './publish/take-down/take-down.js';
import { diffDeploys } from './read/diff-deploys/diff-deploys.js';
import { download } from './read/download/download.js';
import { listDeploys } from './read/list-deploys/list-deploys.js';
import { listFiles } from './read/list-files/list-files.js';
import { readFile } from './read/read-file/read-file.js';
import { showManifest } from './read/show-manifest/show-manifest.js';
import { showProvenance } from './read/show-provenance/show-provenance.js';
import { showSite } from './read/show-site/show-site.js';
import { setAccess } from './settings/access/set-access.js';
import { capabilities } from './settings/capabilities/capabilities.js';
import { connectorTokens } from './settings/connector/connector-tokens.js';
import { SiteConnectors } from './settings/connector/site-connectors.js';
import { TokenOwners } from './settings/connector/token-owners.js';
import { describeSite } from './settings/details/describe.js';
import { SiteDomains } from './settings/domains/site-domains.js';
import { rename } from './settings/rename/rename.js';
import { secrets } from './settings/secrets/secrets.js';
import { SiteSecrets } from './settings/secrets/site-secrets.js';
import { SecretsSweeping } from './settings/secrets/sweeping.js';
import { ShownServers } from './settings/servers/shown-server.js';
import { SitePrograms } from './settings/servers/site-programs.js';
import { DeployReader } from './site/deploy-reader.js';
import { OwnedContent } from './site/owned-content.js';
import { SiteDirectory } from './site/site-directory.js';
import { SiteReader } from './site/site-reader.js';

/** Everything that callers can do with a site. */
@Module({
  imports: [ServersModule],
  ...features(
    { tables: [heldUploadsTable, invitesTable] },
    {
      loops: [
        { name: 'connector token owners', role: 'worker', run: TokenOwners },
        { name: 'collection', role: 'worker', run: Collection },
        { name: 'unused secrets', role: 'worker', run: SecretsSweeping },
        { name: 'expiry', role: 'worker', run: Expiring },
        { name: 'content of unclaimed sites', role: 'worker', run: AnonymousContent },
        { name: 'slugs of deleted sites', role: 'worker', run: Reserving },
        { name: 'old probes', role: 'worker', run: ForgottenProbes },
      ],
      providers: [
        SiteDirectory,
        SiteReader,
        DeployReader,
        OwnedContent,
        SiteJobs,
        RevokedCredentials,
        DeployRights,
        SiteDomains,
        SitePages,
        SiteConnectors,
        SiteTraffic,
        SiteProbe,
        SitePrograms,
        ShownServers,
        SiteSecrets,
        Leaving,
        SharesOfSites,
        DeployBytes,
      ],
    },
    deploy,
    prepareUpload,
    rollback,
    claim,
    claimPage,
    showSite,
    setAccess,
    listDeploys,
    diffDeploys,
    listFiles,
    readFile,
    showManifest,
    showProvenance,
    download,
    preflight,
    history,
    holdUpload,
    watchSite,
    takeDown,
    invite,
    acceptInvite,
    members,
    secrets,
    deleteSite,
    describeSite,
    rename,
    capabilities,
    connectorTokens,
    siteTokens,
    publishers,
    exchangePublisher,
  ),
  exports: [
    SiteJobs,
    SitePages,
    SiteDomains,
    SiteConnectors,
    SiteTraffic,
    SiteProbe,
    SitePrograms,
    Leaving,
    SharesOfSites,
  ],
})
export class SitesModule {}
