import { Inject, Injectable } from '@nestjs/common';
import { Measures } from '../../modules/about/metrics/measures.js';
import { Erasure } from '../../modules/identity/erase/erasure.js';
import { Collection } from '../../modules/sites/publish/collect/collection.js';
import { Reserving } from '../../modules/sites/publish/delete/reserving.js';
import { Expiring } from '../../modules/sites/publish/expire/expiring.js';
import { ForgottenProbes } from '../../modules/sites/publish/probe/forgotten-probes.js';
import { AnonymousContent } from '../../modules/sites/publish/shares/anonymous-content.js';
import { TokenOwners } from '../../modules/sites/settings/connector/token-owners.js';
import { SecretsSweeping } from '../../modules/sites/settings/secrets/sweeping.js';
import { type Service } from '../../nest/lifecycle.js';
import { loop } from './loop.js';

/** What follows for sites and accounts from time, and from what was begun. */
@Injectable()
export class SiteServices {
  constructor(
    @Inject(Erasure) private readonly erasure: Erasure,
    @Inject(TokenOwners) private readonly tokenOwners: TokenOwners,
    @Inject(Collection) private readonly collection: Collection,
    @Inject(SecretsSweeping) private readonly sweeping: SecretsSweeping,
    @Inject(Measures) private readonly measures: Measures,
    @Inject(Expiring) private readonly expiring: Expiring,
    @Inject(AnonymousContent) private readonly anonymousContent: AnonymousContent,
    @Inject(Reserving) private readonly reserving: Reserving,
    @Inject(ForgottenProbes) private readonly forgottenProbes: ForgottenProbes,
  ) {}

  list(): Service[] {
    return [
      { name: 'account erasures', start: (signal) => this.erasure.start(signal) },
      loop('connector token owners', 'worker', this.tokenOwners),
      loop('collection', 'worker', this.collection),
      loop('unused secrets', 'worker', this.sweeping),
      { name: 'measures', start: (signal) => this.measures.start(signal) },
      loop('expiry', 'worker', this.expiring),
      loop('content of unclaimed sites', 'worker', this.anonymousContent),
      loop('slugs of deleted sites', 'worker', this.reserving),
      loop('old probes', 'worker', this.forgottenProbes),
    ];
  }
}
