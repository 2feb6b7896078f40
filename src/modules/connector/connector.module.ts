import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServingModule } from '../serving/serving.module.js';
import { SitesModule } from '../sites/sites.module.js';
import { WorkQueue, workQueueTable } from './api/work-queue.js';
import { AtOnce } from './at-once.js';
import { ForgottenWork } from './forget/forgotten-work.js';
import { invocations } from './invocations/invocations.js';
import { invoke } from './invoke/invoke.js';
import { poll } from './poll/poll.js';
import { workAnswersTable } from './queue/work-answers.js';
import { reportResult } from './result/report-result.js';
import { Sweeping } from './sweep/sweeping.js';
import { WaitingAgents } from './waiting/waiting-agents.js';
import { WaitingCallers } from './waiting/waiting-callers.js';

/** Work that pages of sites send to agents, and its results. */
@Module({
  imports: [ServingModule, SitesModule],
  ...features(
    { tables: [workQueueTable, workAnswersTable] },
    {
      providers: [AtOnce, WaitingAgents, WaitingCallers],
      loops: [
        { name: 'connector sweeps', role: 'worker', run: Sweeping },
        { name: 'old connector work', role: 'worker', run: ForgottenWork },
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
