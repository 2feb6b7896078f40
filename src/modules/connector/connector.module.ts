import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServingModule } from '../serving/serving.module.js';
import { SitesModule } from '../sites/sites.module.js';
import { WorkQueue, workQueueTable } from './api/work-queue.js';
import { AtOnce } from './at-once.js';
import { WorkForgetter } from './forget/forgotten-work.js';
import { invocations } from './invocations/invocations.js';
import { invoke } from './invoke/invoke.js';
import { poll } from './poll/poll.js';
import { workResultsTable } from './queue/work-results.js';
import { reportResult } from './result/report-result.js';
import { ConnectorSweeper } from './sweep/connector-sweeper.js';
import { WaitingAgents } from './waiting/waiting-agents.js';
import { CallerRegistry } from './waiting/waiting-callers.js';

@Module({
  imports: [ServingModule, SitesModule],
  ...features(
    { tables: [workQueueTable, workResultsTable] },
    {
      providers: [AtOnce, WaitingAgents, CallerRegistry],
      loops: [
        { name: 'connector sweeps', role: 'worker', run: ConnectorSweeper },
        { name: 'old connector work', role: 'worker', run: WorkForgetter },
      ],
    },
    invoke,
    poll,
    reportResult,
    invocations,
  ),
  exports: [WorkQueue],
})
export class ConnectorModule {}
