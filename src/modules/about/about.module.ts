import { Module } from '@nestjs/common';
import { features } from '../../wiring/features.js';
import { errors } from './errors.js';
import { health } from './health.js';
import { llms } from './llms.js';
import { openapi } from './openapi/openapi.js';

/** What the service says about itself. */
@Module(features(health, errors, llms, openapi))
export class AboutModule {}
