import { Module } from '@nestjs/common';
import { CertificateAsk } from './ask/certificate-ask.js';
import { Certificates } from './obtain/certificates.js';

/** Certificates of the domains that people attach: which may be issued, and that they are there before the first visitor. */
@Module({ providers: [CertificateAsk, Certificates], exports: [CertificateAsk, Certificates] })
export class CertificatesModule {}
