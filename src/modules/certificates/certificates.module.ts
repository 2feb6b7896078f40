import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { ServingModule } from '../serving/serving.module.js';
import { CertificateAsk } from './ask/certificate-ask.js';
import { certificateRequestsTable } from './obtain/certificate-requests.js';
import { Certificates } from './obtain/certificates.js';

@Module({
  imports: [ServingModule],
  ...features(
    { tables: [certificateRequestsTable] },
    {
      providers: [CertificateAsk],
      loops: [{ name: 'domain certificates', role: 'worker', run: Certificates }],
    },
  ),
  exports: [CertificateAsk],
})
export class CertificatesModule {}
