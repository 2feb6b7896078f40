import { z } from 'zod';

/** A damaged field is exported as a string, with the text that the log contains. */
const orDamaged = <Shape extends z.ZodType>(shape: Shape) => z.union([shape, z.string()]);

const Event = z
  .object({
    actor: orDamaged(z.record(z.string(), z.string())),
    at: z.string(),
    data: orDamaged(z.record(z.string(), z.unknown())),
    hash: z.string(),
    id: z.string(),
    previousHash: z.string().nullable(),
    revision: z.number().int(),
    schema: z.number().int(),
    stream: z.string(),
    type: z.string(),
  })
  .meta({
    description:
      'An event as stored in the log. If `actor` or `data` has been damaged and is no longer canonical JSON, it is a string with the stored text.',
  });

const Checkpoint = z
  .object({
    checkpoint: z.object({ at: z.string(), hash: z.string(), revision: z.number().int(), stream: z.string() }),
    keyId: z.string(),
    publicKey: z.object({ crv: z.string(), kty: z.string(), x: z.string() }),
    signature: z.string(),
  })
  .meta({
    description:
      'The last line. `signature` is a base64url-encoded signature of the canonical JSON of `{ checkpoint }`.',
  });

const Fault = z
  .object({
    fault: z.object({ at: z.string(), detail: z.string(), revision: z.number().int(), stream: z.string() }),
  })
  .meta({ description: 'The last line, instead of a checkpoint, if the history failed verification.' });

/** A line of an exported history (docs/audit.md, "File format"). */
export const ExportedLine = z.union([Event, Checkpoint, Fault]);
