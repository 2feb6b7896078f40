import { Module } from '@nestjs/common';
import { features } from '../../wiring/features.js';
import { recordRunEvent } from './record/record.js';
import { watchRun } from './watch/watch-run.js';

/** What the command line tells of its runs, and who watches. */
@Module(features(recordRunEvent, watchRun))
export class RunsModule {}
