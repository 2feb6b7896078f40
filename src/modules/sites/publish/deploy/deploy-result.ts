import { z } from 'zod';
import type { StoredUpload } from '../../../../content/uploads/store-upload.js';
import type { ServiceUrls } from '../../../../edge/http/api/service-urls.js';

export const Warning = z.object({ file: z.string(), line: z.number().int().optional(), message: z.string() });

export const DeployResult = z
  .object({
    slug: z.string(),
    url: z.string().meta({ description: 'Live URL of the site, on its own host.' }),
    deployId: z.string(),
    editToken: z.string().optional().meta({
      description:
        'Edit token of the site. Only returned by the deploy that creates the site, so store it: it cannot be retrieved later.',
    }),
    files: z.number().int(),
    claimUrl: z.string().optional(),
    expiresAt: z.string().optional(),
    digest: z.string().meta({
      description:
        '`sha256:` followed by the SHA-256 of the manifest: one line `{sha256} {size} {path}\\n` per file, sorted by the bytes of the path.',
    }),
    bytes: z.number().int(),
    unchanged: z
      .boolean()
      .meta({ description: 'Whether the content is identical to that of the previous live deploy.' }),
    previewUrl: z
      .string()
      .meta({ description: 'URL that always shows this deploy, even when another deploy is live.' }),
    pathUrl: z.string().nullable().meta({
      description: 'URL of the site on the service’s own host, sandboxed, or null if the site is not served there.',
    }),
    createdAt: z.string(),
    warnings: z.array(Warning),
  })
  .meta({ id: 'DeployResult' });

type PublishedUpload = {
  readonly slug: string;
  /** Whether it is shown under the service’s own address: a public site of files is. */
  readonly hasPath: boolean;
  readonly deployId: string;
  readonly createdAt: string;
  readonly unchanged: boolean;
  readonly content: StoredUpload;
  /** Handed out once, when the site is made. */
  readonly editToken?: string;
  readonly expiresAt?: string;
};

export function deployResult(urls: ServiceUrls, published: PublishedUpload): z.output<typeof DeployResult> {
  const { slug, hasPath, deployId, createdAt, unchanged, content, editToken, expiresAt } = published;
  return {
    slug,
    url: urls.site(slug),
    deployId,
    ...(editToken && { editToken, claimUrl: urls.claim(slug, editToken) }),
    files: content.files,
    ...(expiresAt && { expiresAt }),
    digest: `sha256:${content.manifest}`,
    bytes: content.bytes,
    unchanged,
    previewUrl: urls.preview(deployId),
    pathUrl: hasPath ? urls.sitePath(slug) : null,
    createdAt,
    warnings: [...content.warnings],
  };
}
