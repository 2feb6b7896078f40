import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { acceptInvite } from './accept-invite/accept-invite.js';
import { setAccess } from './access/set-access.js';
import { capabilities } from './capabilities/capabilities.js';
import { claim } from './claim/claim.js';
import { claimPage } from './claim/claim.page.js';
import { Collection } from './collect/collection.js';
import { connectorTokens } from './connector/connector-tokens.js';
import { SiteConnectors } from './connector/site-connectors.js';
import { TokenOwners } from './connector/token-owners.js';
import { deleteSite } from './delete/delete.js';
import { Reserving } from './delete/reserving.js';
import { deploy } from './deploy/deploy.js';
import { DeployRights } from './deploy/deploy-rights.js';
import { describeSite } from './details/describe.js';
import { diffDeploys } from './diff-deploys/diff-deploys.js';
import { SiteDomains } from './domains/site-domains.js';
import { download } from './download/download.js';
import { Expiring } from './expire/expiring.js';
import { history } from './history/history.js';
import { holdUpload } from './hold-upload/hold-upload.js';
import { invite } from './invite/invite.js';
import { RevokedCredentials } from './jobs/revoked-credentials.js';
import { SiteJobs } from './jobs/site-jobs.js';
import { Leaving } from './leave/leaving.js';
import { listDeploys } from './list-deploys/list-deploys.js';
import { listFiles } from './list-files/list-files.js';
import { members } from './members/members.js';
import { SitePages } from './pages/site-pages.js';
import { preflight } from './preflight/preflight.js';
import { prepareUpload } from './prepare-upload/prepare-upload.js';
import { ForgottenProbes } from './probe/forgotten-probes.js';
import { SiteProbe } from './probe/site-probe.js';
import { exchangePublisher } from './publishers/exchange.js';
import { publishers } from './publishers/publishers.js';
import { readFile } from './read-file/read-file.js';
import { rename } from './rename/rename.js';
import { rollback } from './rollback/rollback.js';
import { secrets } from './secrets/secrets.js';
import { SiteSecrets } from './secrets/site-secrets.js';
import { SecretsSweeping } from './secrets/sweeping.js';
import { ShownServers } from './servers/shown-server.js';
import { SitePrograms } from './servers/site-programs.js';
import { AnonymousContent } from './shares/anonymous-content.js';
import { DeployBytes } from './shares/deploy-bytes.js';
import { SharesOfSites } from './shares/site-shares.js';
import { showManifest } from './show-manifest/show-manifest.js';
import { showProvenance } from './show-provenance/show-provenance.js';
import { showSite } from './show-site/show-site.js';
import { DeployReader } from './site/deploy-reader.js';
import { OwnedContent } from './site/owned-content.js';
import { SiteDirectory } from './site/site-directory.js';
import { SiteReader } from './site/site-reader.js';
import { takeDown } from './take-down/take-down.js';
import { siteTokens } from './tokens/site-tokens.js';
import { SiteTraffic } from './traffic/site-traffic.js';
import { watchSite } from './watch/watch-site.js';

/** What can be done with a site. */
@Module({
  ...features(
    {
      routes: [],
      providers: [
        SiteDirectory,
        SiteReader,
        DeployReader,
        OwnedContent,
        Collection,
        Expiring,
        Reserving,
        SiteJobs,
        RevokedCredentials,
        DeployRights,
        SiteDomains,
        SitePages,
        SiteConnectors,
        TokenOwners,
        SiteTraffic,
        SiteProbe,
        SitePrograms,
        ShownServers,
        ForgottenProbes,
        SiteSecrets,
        SecretsSweeping,
        Leaving,
        SharesOfSites,
        DeployBytes,
        AnonymousContent,
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
    Collection,
    Expiring,
    Reserving,
    SiteJobs,
    SitePages,
    SiteDomains,
    SiteConnectors,
    TokenOwners,
    SiteTraffic,
    SiteProbe,
    SitePrograms,
    ForgottenProbes,
    SecretsSweeping,
    Leaving,
    SharesOfSites,
    AnonymousContent,
  ],
})
export class SitesModule {}
