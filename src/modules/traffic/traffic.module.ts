import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { activity } from './activity/activity.js';
import { ActivityReactor } from './activity/activity-reactor.js';
import { logs } from './logs/logs.js';
import { record } from './record/record.js';
import { Recorder } from './record/recorder.js';
import { Retention } from './retain/retention.js';

/** Who came to a site, and what happened there. */
@Module({ ...features(activity, logs, record), exports: [ActivityReactor, Recorder, Retention] })
export class TrafficModule {}
