import { type BuiltImage, ImageBuilder } from '../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../kernel/refusal.js';

/** Refuses every image build with the reason why this process cannot build images. */
export class NoImageBuilder extends ImageBuilder {
  constructor(
    private readonly why: string,
    override readonly isElsewhere = false,
  ) {
    super();
  }

  stop = async () => undefined;

  override tried = async () => this.why;

  override async build(): Promise<BuiltImage> {
    return refuse('builder_unavailable', this.why);
  }
}
