import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ActorNames } from './api/actor-names.js';
import { Deploys } from './api/deploys.js';
import { JobRights } from './api/job-rights.js';
import { Memberships } from './api/memberships.js';
import { PageDeploys } from './api/page-deploys.js';
import { ProbeTarget } from './api/probe-target.js';
import { RepositoryLinks } from './api/repository-links.js';
import { ServerNeedsReader } from './api/server-needs-reader.js';
import { SiteAccess } from './api/site-access.js';
import { SiteHistory } from './api/site-history.js';
import { SiteShares } from './api/site-shares.js';
import { history } from './history/history.js';
import { watchSite } from './history/watch/watch-site.js';
import { acceptInvite } from './people/accept-invite/accept-invite.js';
import { claim } from './people/claim/claim.js';
import { claimPage } from './people/claim/claim.page.js';
import { invite } from './people/invite/invite.js';
import { invitesTable } from './people/invite/invites.js';
import { members } from './people/members/members.js';
import { exchangePublisher } from './people/publishers/exchange.js';
import { publishers } from './people/publishers/publishers.js';
import { siteTokenRoutes } from './people/tokens/site-tokens.js';
import { Collection } from './publish/collect/collection.js';
import { deleteSite } from './publish/delete/delete.js';
import { SlugReservations } from './publish/delete/slug-reservations.js';
import { deploy } from './publish/deploy/deploy.js';
import { DeployRights } from './publish/deploy/deploy-rights.js';
import { SiteExpirer } from './publish/expire/site-expirer.js';
import { RevokedCredentials } from './publish/jobs/revoked-credentials.js';
import { pendingUpload } from './publish/pending-upload/pending-upload.js';
import { pendingUploadsTable } from './publish/pending-upload/pending-uploads.js';
import { preflight } from './publish/preflight/preflight.js';
import { prepareUpload } from './publish/prepare-upload/prepare-upload.js';
import { ForgottenProbes } from './publish/probe/forgotten-probes.js';
import { rollback } from './publish/rollback/rollback.js';
import { AnonymousContent } from './publish/shares/anonymous-content.js';
import { DeployBytes } from './publish/shares/deploy-bytes.js';
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
import { TokenOwnerReader } from './settings/connector/token-owners.js';
import { describeSite } from './settings/details/describe.js';
import { rename } from './settings/rename/rename.js';
import { secrets } from './settings/secrets/secrets.js';
import { SecretsSweeper } from './settings/secrets/secrets-sweeper.js';
import { SiteSecrets } from './settings/secrets/site-secrets.js';
import { ServerStatusReader } from './settings/servers/shown-server.js';
import { DeployReader } from './site/deploy-reader.js';
import { OwnedContent } from './site/owned-content.js';
import { SiteDirectory } from './site/site-directory.js';
import { SiteReader } from './site/site-reader.js';

/** Providers that other modules can inject to work with sites. */
const api = [
  ActorNames,
  Deploys,
  JobRights,
  Memberships,
  PageDeploys,
  ProbeTarget,
  RepositoryLinks,
  SiteAccess,
  SiteHistory,
  ServerNeedsReader,
  SiteShares,
];

@Module({
  ...features(
    { tables: [pendingUploadsTable, invitesTable] },
    {
      loops: [
        { name: 'connector token owners', role: 'worker', run: TokenOwnerReader },
        { name: 'collection', role: 'worker', run: Collection },
        { name: 'unused secrets', role: 'worker', run: SecretsSweeper },
        { name: 'expiry', role: 'worker', run: SiteExpirer },
        { name: 'content of unclaimed sites', role: 'worker', run: AnonymousContent },
        { name: 'slugs of deleted sites', role: 'worker', run: SlugReservations },
        { name: 'old probes', role: 'worker', run: ForgottenProbes },
      ],
      providers: [
        ...api,
        SiteDirectory,
        SiteReader,
        DeployReader,
        OwnedContent,
        RevokedCredentials,
        DeployRights,
        ServerStatusReader,
        SiteSecrets,
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
    pendingUpload,
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
    siteTokenRoutes,
    publishers,
    exchangePublisher,
  ),
  exports: api,
})
export class SitesModule {}
