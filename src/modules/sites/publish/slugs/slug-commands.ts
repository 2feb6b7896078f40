import { slugStream } from '../../../../events/slug.events.js';
import { commandsOn, commandsOnNew } from '../../../../nest/stream-command.js';
import { decideHandOver, decideHold, decideHoldAnew, decideReserve } from './hold-slug.decide.js';
import { slug as slugFold } from './slug.state.js';

type SlugName = { readonly slug: string };

const SlugCommand = commandsOn(({ slug }: SlugName) => slugStream(slug), slugFold);
/** Most requested slugs were never held. */
const NewSlugCommand = commandsOnNew(({ slug }: SlugName) => slugStream(slug), slugFold);

/** Holds a slug for a site. */
export class HoldSlug extends NewSlugCommand(decideHold) {}

/** Holds a slug for a site that already has one. */
export class HoldSlugAnew extends NewSlugCommand(decideHoldAnew) {}

/** Reserves the slug of a site that no longer exists. */
export class ReserveSlug extends SlugCommand(decideReserve) {}

/** Gives the probe’s slug to its next site. */
export class HandOverSlug extends SlugCommand(decideHandOver) {}
