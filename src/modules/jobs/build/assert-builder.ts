import type { Plan } from '../../../events/repo-source.js';
import type { Builder } from '../../../kernel/ports/outside/builder.js';
import type { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../../kernel/refusal.js';

/** What of a plan decides whether it can be built: all of one, or what a caller wants of it. */
type ToBeBuilt = Pick<Plan, 'kind'>;

/** What builds files and servers, and what builds images. */
export type Builders = { readonly builder: Builder; readonly imageBuilder: ImageBuilder };

/**
 * Why a plan cannot be built, naming what to install or to change; null where it can, and where only another process of
 * the service knows.
 */
export async function whyNotBuilt({ builder, imageBuilder }: Builders, { kind }: ToBeBuilt): Promise<string | null> {
  if (kind === 'static') return null;
  const needed = kind === 'container' ? imageBuilder : builder;
  return needed.isElsewhere ? null : needed.tried();
}

/** Refuses such a plan with `builder_unavailable`. */
export async function assertBuilder(builders: Builders, plan: ToBeBuilt): Promise<void> {
  const why = await whyNotBuilt(builders, plan);
  if (why !== null) refuse('builder_unavailable', why);
}
