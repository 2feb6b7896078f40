import { z } from 'zod';

/** What was damaged in the log stands in a line as the text that it is. */
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
      'Event as it is stored. If `actor` or `data` is damaged and no longer canonical JSON, it is returned as a string.',
  });

const Checkpoint = z
  .object({
    checkpoint: z.object({ at: z.string(), hash: z.string(), revision: z.number().int(), stream: z.string() }),
    keyId: z.string(),
    publicKey: z.object({ crv: z.string(), kty: z.string(), x: z.string() }),
    signature: z.string(),
  })
  .meta({ description: 'Last line. `signature` (base64url) signs the canonical JSON of `{ checkpoint }`.' });

const Fault = z
  .object({
    fault: z.object({ at: z.string(), detail: z.string(), revision: z.number().int(), stream: z.string() }),
  })
  .meta({ description: 'Last line instead of a checkpoint, if the hash chain is broken.' });

/** A line of an exported history (docs/audit.md, "File format"). */
export const ExportedLine = z.union([Event, Checkpoint, Fault]);
