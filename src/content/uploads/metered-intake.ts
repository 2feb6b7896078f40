import { type Blob, BlobIntake } from '../../storage/blobs/blob-store.js';

/** Called with a number of bytes before they are stored. Throws to reject them. */
export type Meter = (bytes: number) => Promise<void>;

/** Reports all received bytes to a meter, even those that are already stored. */
export class MeteredIntake extends BlobIntake {
  constructor(
    private readonly intake: BlobIntake,
    private readonly meter: Meter,
  ) {
    super();
  }

  override async add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob> {
    if (!(content instanceof Uint8Array)) return this.intake.add(metered(content, this.meter));
    await this.meter(content.length);
    return this.intake.add(content);
  }

  override seal() {
    return this.intake.seal();
  }

  override abandon() {
    return this.intake.abandon();
  }
}

export async function* metered(content: AsyncIterable<Uint8Array>, meter: Meter): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    await meter(piece.length);
    yield piece;
  }
}
