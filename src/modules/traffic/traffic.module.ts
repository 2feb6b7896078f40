import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { record } from './record/record.js';
import { Recorder } from './record/recorder.js';
import { Retention } from './retain/retention.js';

/** Who came to a site, and what happened there. */
@Module({ ...features(record), exports: [Recorder, Retention] })
export class TrafficModule {}
