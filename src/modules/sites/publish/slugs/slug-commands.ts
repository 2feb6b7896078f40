import { slugStream } from '../../../../events/slug.events.js';
import { defineNewStreamCommand, defineStreamCommand } from '../../../../nest/stream-command.js';
import { decideHold, decideHoldAnew, decideReserve, decideSlugTransfer } from './hold-slug.decide.js';
import { slug as slugFold } from './slug.state.js';

type SlugName = { readonly slug: string };

const SlugCommand = defineStreamCommand(({ slug }: SlugName) => slugStream(slug), slugFold);
/**
 * Base class of commands that usually write the first event of a slug's stream, because most requested slugs were never
 * used.
 */
const NewSlugCommand = defineNewStreamCommand(({ slug }: SlugName) => slugStream(slug), slugFold);

export class HoldSlug extends NewSlugCommand(decideHold) {}

export class HoldSlugAnew extends NewSlugCommand(decideHoldAnew) {}

export class ReserveSlug extends SlugCommand(decideReserve) {}

export class HandOverSlug extends SlugCommand(decideSlugTransfer) {}
