import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { activity } from './activity/activity.js';
import { ActivityReactor } from './activity/activity-reactor.js';
import { logs } from './logs/logs.js';

/** Who came to a site, and what happened there. */
@Module({ ...features(activity, logs), exports: [ActivityReactor] })
export class TrafficModule {}
