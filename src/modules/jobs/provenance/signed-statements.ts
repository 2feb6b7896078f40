import { Injectable } from '@nestjs/common';
import { AuditKeyStore } from '../../../accounts/keys/audit-keys.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { version } from '../../../edge/http/api/version.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { signedEnvelope } from './dsse.js';
import { type MadeDeploy, provenanceStatement } from './statement.js';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** Creates statements about how deploys were built, signed with the key at `/.well-known/stele-audit-key`. */
@Injectable()
export class SignedStatements {
  constructor(
    private readonly keys: AuditKeyStore,
    private readonly urls: ServiceUrls,
  ) {}

  /** Returns the signed statement in the form in which it is stored. */
  async of(deploy: MadeDeploy): Promise<Buffer> {
    const statement = provenanceStatement(deploy, { baseUrl: this.urls.baseUrl, version });
    const envelope = await signedEnvelope(PAYLOAD_TYPE, canonical(statement), (text) => this.keys.sign(text));
    return Buffer.from(JSON.stringify(envelope));
  }
}
