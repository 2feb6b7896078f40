import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { UsageError } from '../command-line/errors.js';

/** Node versions before 22.19 and 24.5 cannot add certificates at run time. They need NODE_EXTRA_CA_CERTS. */
const canAddCertificates = () => typeof tls.setDefaultCACertificates === 'function';

/** Trusts the system's certificates and those in `file`, in addition to those that are built into Node. */
export function trustCertificates(file: string | undefined): void {
  if (!canAddCertificates()) {
    if (file)
      throw new UsageError(
        `--ca needs Node 22.19+ or 24.5+, but this is ${process.version}. Set NODE_EXTRA_CA_CERTS=${file} instead.`,
      );
    return;
  }
  const own = file ? readCertificates(file) : [];
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...readSystemCertificates(), ...own]);
}

/** Returns what users can do if the certificate of an instance is not trusted. */
export const adviseOnCertificates = (): string =>
  canAddCertificates()
    ? 'If a private authority issued it, pass the certificate of that authority with --ca FILE.'
    : `Node ${process.versions.node} does not use the system's certificates. Install Node 22.19+ or 24.5+, or set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that issued it.`;

function readSystemCertificates(): readonly string[] {
  try {
    return tls.getCACertificates('system');
  } catch {
    // The system has no certificate store.
    return [];
  }
}

function readCertificates(file: string): string[] {
  const found = readText(file).match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (!found)
    throw new UsageError(`--ca: ${file} contains no certificate in PEM format (-----BEGIN CERTIFICATE-----).`);
  return found;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--ca: ${code === 'ENOENT' ? `there is no file ${file}.` : `${file} cannot be read (${code}).`}`,
    );
  }
}
