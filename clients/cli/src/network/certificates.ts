import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { UsageError } from '../command-line/errors.js';

/**
 * Trusts the certificates of the system and those in `file`, beside the ones that Node has. Older versions of Node 22
 * cannot change them, and need NODE_EXTRA_CA_CERTS.
 */
export function trustCertificates(file: string | undefined): void {
  if (typeof tls.setDefaultCACertificates !== 'function') {
    if (file) throw new UsageError(`--ca needs Node 22.19 or 24.5. On this version, set NODE_EXTRA_CA_CERTS=${file}.`);
    return;
  }
  const own = file ? readCertificates(file) : [];
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...readSystemCertificates(), ...own]);
}

function readSystemCertificates(): readonly string[] {
  try {
    return tls.getCACertificates('system');
  } catch {
    // A system without a store of certificates.
    return [];
  }
}

function readCertificates(file: string): string[] {
  const found = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (!found) throw new UsageError(`${file} contains no certificate in PEM format (-----BEGIN CERTIFICATE-----).`);
  return found;
}
