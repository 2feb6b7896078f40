import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { activity } from './activity/activity.js';
import { logs } from './logs/logs.js';

/** Who came to a site, and what happened there. */
@Module({ ...features(activity, logs) })
export class TrafficModule {}
