import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { RunForgetter } from './forget/forgotten-runs.js';
import { recordRunEvent } from './record/record.js';
import { runWritersTable } from './record/run-writers.js';
import { viewRun } from './view/view-run.js';
import { watchRun } from './watch/watch-run.js';

@Module({
  ...features(
    { tables: [runWritersTable] },
    { loops: [{ name: 'old runs', role: 'worker', run: RunForgetter }] },
    recordRunEvent,
    viewRun,
    watchRun,
  ),
})
export class RunsModule {}
