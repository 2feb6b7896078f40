import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { ask } from './ask/ask.js';

/** Certificates of the domains that people attach: which may be issued, and that they are there before the first visitor. */
@Module(features(ask))
export class CertificatesModule {}
