import { z } from 'zod';
import type { Addresses } from '../../../http/api/service-urls.js';
import type { TakenIn } from '../../../uploads/store-upload.js';

export const Warning = z.object({ file: z.string(), line: z.number().int().optional(), message: z.string() });

export const DeployResult = z
  .object({
    slug: z.string(),
    url: z.string().meta({ description: 'The live address, on a host of its own.' }),
    deployId: z.string(),
    editToken: z
      .string()
      .optional()
      .meta({ description: 'Only in the answer to the deploy that made the site. Keep it: it is not stored.' }),
    files: z.number().int(),
    claimUrl: z.string().optional(),
    expiresAt: z.string().optional(),
    digest: z
      .string()
      .meta({ description: '`sha256:` of the lines `{sha256} {size} {path}\\n`, sorted by the bytes of the path.' }),
    bytes: z.number().int(),
    unchanged: z.boolean().meta({ description: 'Whether the content equals what was live before.' }),
    previewUrl: z.string().meta({ description: 'Keeps showing this deploy, whatever is live.' }),
    pathUrl: z.string().meta({ description: 'The site under the service’s own address, sandboxed.' }),
    createdAt: z.string(),
    warnings: z.array(Warning),
  })
  .meta({ id: 'DeployResult' });

type Published = {
  readonly slug: string;
  readonly deployId: string;
  readonly createdAt: string;
  readonly unchanged: boolean;
  readonly content: TakenIn;
  /** Handed out once, when the site is made. */
  readonly editToken?: string;
  readonly expiresAt?: string;
};

export function deployResult(addresses: Addresses, published: Published): z.output<typeof DeployResult> {
  const { slug, deployId, createdAt, unchanged, content, editToken, expiresAt } = published;
  return {
    slug,
    url: addresses.site(slug),
    deployId,
    ...(editToken && { editToken, claimUrl: addresses.claim(slug, editToken) }),
    files: content.files,
    ...(expiresAt && { expiresAt }),
    digest: `sha256:${content.manifest}`,
    bytes: content.bytes,
    unchanged,
    previewUrl: addresses.preview(deployId),
    pathUrl: addresses.sitePath(slug),
    createdAt,
    warnings: [...content.warnings],
  };
}
