import { faultText } from '../../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../../kernel/refusal.js';
import { reservedNames } from '../../../../kernel/reserved-names.js';
import { SLUG } from '../../../../kernel/slug.js';

const reserved = new Set(reservedNames);

/** Returns what is wrong with a slug, as the predicate of an error message, or null if the slug is valid. */
export function findSlugFault(text: string): string | null {
  if (!SLUG.test(text))
    return 'must have 1 to 48 lowercase letters, digits or hyphens, and must start and end with a letter or digit';
  // Names that begin with `xn--` are the ASCII form of internationalized names. Names of `dep-` and 26 characters are
  // hosts of deploys.
  if (text.startsWith('xn--') || /^dep-[0-9a-hjkmnp-tv-z]{26}$/.test(text) || reserved.has(text))
    return `must not be “${text}”, which is reserved`;
  return null;
}

const colours =
  'amber azure black blue bronze coral crimson cyan ebony emerald golden green indigo ivory jade lilac lime maroon mint olive onyx opal pearl pink plum purple quartz red ruby russet saffron sage scarlet silver slate teal topaz violet white'.split(
    ' ',
  );
const animals =
  'badger bear beaver bison crane deer dove eagle falcon finch fox gecko hare hawk heron ibex ibis jackal koala lark lemur lion lynx magpie marten mole moose newt ocelot orca otter owl panda puffin quail raven robin seal shrew stork swan swift tern tiger toad vole whale wolf wombat wren yak zebra'.split(
    ' ',
  );

/** Generates a readable slug such as `amber-otter-4821` from at least 32 random bits. */
export function readableSlug(random: number): string {
  const pick = (words: readonly string[], by: number) => words[by % words.length] ?? '';
  const colour = pick(colours, random);
  const animal = pick(animals, Math.floor(random / colours.length));
  const number = 1000 + (Math.floor(random / colours.length / animals.length) % 9000);
  return `${colour}-${animal}-${number}`;
}

/** Returns the slug unchanged. Refuses a malformed slug with `invalid_slug`. */
export function validSlug(slug: string): string {
  const message = findSlugFault(slug);
  if (message === null) return slug;
  const fault = { path: 'slug', message };
  return refuse('invalid_slug', faultText(fault), [fault]);
}
