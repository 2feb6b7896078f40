import type { SentBytes } from '../network/bodies.js';
import { buildDeployArchive, isArchiveBetter, sumOfContents } from './archive-choice.js';
import type { PreparedDeploy } from './prepare-deploy.js';
import { type SendOptions, type SentDeploy, sendDeploy } from './send-deploy.js';
import { uploadFiles } from './upload-files.js';

export type PublishOptions = SendOptions & {
  /** Called once, before content is sent. For an archive, `bytes` is its compressed size. */
  readonly onTransfer?: (transfer: Transfer) => void;
  readonly onSent?: SentBytes | undefined;
};

export type Transfer = {
  readonly kind: 'archive' | 'files' | 'nothing';
  readonly files: number;
  readonly bytes: number;
};

export type DeployOutcome = SentDeploy & { readonly sent: Transfer };

/** Sends the content that the service does not have, and then publishes everything at once. */
export async function publishDeploy(prepared: PreparedDeploy, options: PublishOptions = {}): Promise<DeployOutcome> {
  const { stele, files, missing } = prepared;
  const archive = isArchiveBetter(prepared) ? await (prepared.archive ?? buildDeployArchive(files)) : null;
  const sent: Transfer = archive
    ? { kind: 'archive', files: files.length, bytes: archive.length }
    : { kind: missing.length > 0 ? 'files' : 'nothing', files: missing.length, bytes: sumOfContents(missing) };
  options.onTransfer?.(sent);
  if (archive) {
    const body = { body: archive, type: 'application/gzip', onSent: options.onSent };
    return { ...(await sendDeploy(prepared, options, body)), sent };
  }
  await uploadFiles(stele, missing, { onSent: options.onSent, signal: options.signal });
  const list = JSON.stringify({ files: files.map(({ path, sha256 }) => ({ path, sha256 })) });
  return { ...(await sendDeploy(prepared, options, { body: list, type: 'application/json' })), sent };
}
