import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { SitesModule } from '../sites/sites.module.js';
import { LatestProbeFindings } from './api/probe-findings.js';
import { StatusBoard } from './board/status-board.js';
import { incidentsTable } from './incidents/incidents.js';
import { tellIncidents } from './incidents/tell-incidents.js';
import { FrontDoor } from './probes/front-door.js';
import { PartProbes } from './probes/part-probes.js';
import { probeResultsTable } from './probes/probe-results.js';
import { Prober } from './probes/prober.js';
import { SiteRound } from './probes/site-probe.js';
import { showStatus } from './show/show-status.js';

@Module({
  imports: [JobsModule, ServersModule, SitesModule],
  ...features(
    { tables: [incidentsTable, probeResultsTable] },
    {
      providers: [LatestProbeFindings, StatusBoard, FrontDoor, SiteRound, PartProbes],
      // Probes run in the processes that serve the status page, so that the page shows what these processes see.
      loops: [{ name: 'probes', role: 'api', run: Prober }],
    },
    showStatus,
    tellIncidents,
  ),
  exports: [LatestProbeFindings, StatusBoard],
})
export class StatusModule {}
