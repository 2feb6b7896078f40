import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { consent } from './consent/consent.js';
import { endpoints } from './endpoints/endpoints.js';
import { grants } from './grants/grants.js';
import { metadata } from './metadata/metadata.js';

/** Connected apps: how people authorize them (OAuth 2.1) and revoke that. */
@Module(features(metadata, endpoints, consent, grants))
export class AuthorizationModule {}
