import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';

/** Who came to a site, and what happened there. */
@Module({ ...features() })
export class TrafficModule {}
