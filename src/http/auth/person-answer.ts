import { z } from 'zod';
import type { Person } from '../../tables/people/people.js';

export const User = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'User' });

export const shownPerson = ({ userId, email, name, createdAt }: Person): z.output<typeof User> => ({
  id: userId,
  email,
  name,
  createdAt,
});

export const SignedInAnswer = z
  .object({
    user: User,
    expiresAt: z.string().meta({ description: 'When the session ends if it is not used again.' }),
    token: z.string().meta({ description: 'The session, for programs: `Authorization: Bearer …`. Shown once.' }),
  })
  .meta({ id: 'SignedIn' });

/** Addresses as people type them: what follows is compared lower-cased. */
export const Email = z.email().max(254);
