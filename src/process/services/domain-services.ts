import { Inject, Injectable } from '@nestjs/common';
import { Certificates } from '../../modules/certificates/obtain/certificates.js';
import { FirstChecks } from '../../modules/domains/add/first-checks.js';
import { Checking } from '../../modules/domains/check/checking.js';
import { UntoldDomains } from '../../modules/domains/trail/untold-domains.js';
import { type Service } from '../../nest/lifecycle.js';
import { loop } from './loop.js';

/** What domains wait for. */
@Injectable()
export class DomainServices {
  constructor(
    @Inject(FirstChecks) private readonly firstChecks: FirstChecks,
    @Inject(Checking) private readonly checking: Checking,
    @Inject(Certificates) private readonly certificates: Certificates,
    @Inject(UntoldDomains) private readonly untoldDomains: UntoldDomains,
  ) {}

  list(): Service[] {
    return [
      loop('first domain checks', 'api', this.firstChecks),
      loop('domain checks', 'worker', this.checking),
      loop('domain certificates', 'worker', this.certificates),
      loop('domain histories', 'worker', this.untoldDomains),
    ];
  }
}
