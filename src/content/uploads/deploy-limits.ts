import { formatBytes, formatExcess, formatNumber, plural } from '../../kernel/output/quantities.js';
import { refuse } from '../../kernel/refusal.js';

/** Limits of one deploy, in bytes except for `files`. */
export type DeployLimits = {
  readonly fileBytes: number;
  /** Maximum size of all files together. */
  readonly deployBytes: number;
  readonly files: number;
  /** Maximum size of a body that is JSON or a single HTML page. */
  readonly bodyBytes: number;
  /** Limits that would apply after signing in. Only set for an anonymous caller whose limits signing in would raise. */
  readonly signedIn?: { readonly files: number; readonly deployBytes: number };
};

/** Throws `too_many_files`. `sent` is the number of files, if known before the whole body has been read. */
export function refuseFileCount(limits: DeployLimits, sent: number | null = null): never {
  const { detail, suggestion } = fileCountText(limits, sent);
  return refuse('too_many_files', detail, [], suggestion);
}

/** Throws `too_large`. `sent` is the total size in bytes, if it is known. */
export function refuseDeploySize(limits: DeployLimits, sent: number | null = null): never {
  const { detail, suggestion } = deploySizeText(limits, sent);
  return refuse('too_large', detail, [], suggestion);
}

type LimitText = { readonly detail: string; readonly suggestion: { readonly suggestion?: string } };

export const formatOneLine = ({ detail, suggestion: { suggestion } }: LimitText): string =>
  suggestion === undefined ? detail : `${detail} ${suggestion}`;

export function fileCountText({ files, signedIn }: DeployLimits, sent: number | null = null): LimitText {
  const size = sent === null ? `more than ${plural(files, 'file')}` : plural(sent, 'file');
  const limit = sent === null ? 'the limit' : `but the limit is ${formatNumber(files)}`;
  return {
    detail: `This deploy has ${size}, ${limit}${signedIn ? ' for anonymous deploys' : ''}.`,
    suggestion:
      signedIn && signedIn.files > files
        ? { suggestion: `Sign in to deploy up to ${plural(signedIn.files, 'file')}.` }
        : {},
  };
}

export function deploySizeText({ deployBytes, signedIn }: DeployLimits, sent: number | null = null): LimitText {
  const size =
    sent === null
      ? `larger than the limit of ${formatBytes(deployBytes)}`
      : formatExcess(sent, deployBytes).join(', but the limit is ');
  return {
    detail: `This deploy is ${size}${signedIn ? ' for anonymous deploys' : ''}.`,
    suggestion:
      signedIn && signedIn.deployBytes > deployBytes
        ? { suggestion: `Sign in to deploy up to ${formatBytes(signedIn.deployBytes)}.` }
        : {},
  };
}
