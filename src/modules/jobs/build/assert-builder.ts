import type { Plan } from '../../../events/repo-source.js';
import type { Builder } from '../../../kernel/ports/outside/builder.js';
import type { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../../kernel/refusal.js';

type ToBeBuilt = Pick<Plan, 'kind'>;

/** `builder` builds files and servers; `imageBuilder` builds container images. */
export type BuilderPair = { readonly builder: Builder; readonly imageBuilder: ImageBuilder };

/**
 * Returns the reason why this plan can't be built, with a remedy. Returns null if it can be built, or if only another
 * process can tell.
 */
export async function whyNotBuilt({ builder, imageBuilder }: BuilderPair, { kind }: ToBeBuilt): Promise<string | null> {
  if (kind === 'static') return null;
  const needed = kind === 'container' ? imageBuilder : builder;
  return needed.isElsewhere ? null : needed.tried();
}

/** Refuses with `builder_unavailable` if the plan can't be built. */
export async function assertBuilder(builders: BuilderPair, plan: ToBeBuilt): Promise<void> {
  const why = await whyNotBuilt(builders, plan);
  if (why !== null) refuse('builder_unavailable', why);
}
