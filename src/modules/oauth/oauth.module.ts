import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { TokenGrants } from './api/token-grants.js';
import { consent } from './consent/consent.js';
import { endpoints } from './endpoints/endpoints.js';
import { grants } from './grants/grants.js';
import { metadata } from './metadata/metadata.js';

@Module({
  ...features({ providers: [TokenGrants] }, metadata, endpoints, consent, grants),
  exports: [TokenGrants],
})
export class OAuthModule {}
