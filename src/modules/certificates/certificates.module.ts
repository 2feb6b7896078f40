import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { ask } from './ask/ask.js';
import { Certificates } from './obtain/certificates.js';

/** Certificates of the domains that people attach: which may be issued, and that they are there before the first visitor. */
@Module({ ...features(ask, { routes: [], providers: [Certificates] }), exports: [Certificates] })
export class CertificatesModule {}
