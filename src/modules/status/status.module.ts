import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { StatusBoard } from './board/status-board.js';
import { tellIncidents } from './incidents/tell-incidents.js';
import { FrontDoor } from './probes/front-door.js';
import { PartProbes } from './probes/part-probes.js';
import { Prober } from './probes/prober.js';
import { SiteRound } from './probes/site-probe.js';
import { showStatus } from './show/show-status.js';

/** Whether the service is well, and has been. */
@Module({
  ...features(
    {
      providers: [StatusBoard, FrontDoor, SiteRound, PartProbes],
      // In the processes with the status page: it shows what is seen from there.
      loops: [{ name: 'probes', role: 'api', run: Prober }],
    },
    showStatus,
    tellIncidents,
  ),
  exports: [StatusBoard, Prober],
})
export class StatusModule {}
