import { z } from 'zod';
import type { Person } from '../../../accounts/people/people.js';

export const User = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'User' });

export const toPersonResponse = ({ userId, email, name, createdAt }: Person): z.output<typeof User> => ({
  id: userId,
  email,
  name,
  createdAt,
});

/** The response to a sign-in by a client that is not a browser. */
export const SignedInResponse = z
  .object({
    user: User,
    expiresAt: z.string().meta({ description: 'Time at which the session expires if it is not used again.' }),
    token: z.string().meta({ description: 'Session token, for `Authorization: Bearer …`. Shown only once.' }),
  })
  .meta({ id: 'SignedIn' });

/**
 * Zod’s pattern for email addresses, with the maximum lengths from RFC 5321 section 4.5.3.1 and RFC 1035 section
 * 2.3.4.
 */
const ADDRESS =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]{0,63}[A-Za-z0-9_+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

/** An email address as a user types it. Comparisons ignore case. */
export const Email = z.email({ pattern: ADDRESS }).max(254);
