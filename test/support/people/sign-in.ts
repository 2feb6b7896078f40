import type { Requests } from '../service/stele.js';

export type Asked = { readonly api: Pick<Requests, 'get' | 'post'> };

export async function newestMail(stele: Asked, to: string) {
  const { body } = await stele.api.get('/dev/outbox.json').expect(200);
  const mail = (body as { to: string; subject: string; text: string; links: string[] }[]).find(
    (each) => each.to.toLowerCase() === to.toLowerCase(),
  );
  if (!mail) throw new Error(`No mail to ${to}.`);
  const [link = ''] = mail.links;
  const { pathname, search } = new URL(link);
  return { ...mail, path: pathname + search, code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(mail.text)?.[0] ?? '' };
}

export async function signIn(stele: Asked, email: string) {
  await stele.api.post('/v1/auth/start').send({ email }).expect(200);
  const { path } = await newestMail(stele, email);
  const { body } = await stele.api.get(path).expect(200);
  const { token, user } = body as { token: string; user: { id: string; email: string } };
  return { token, user, bearer: { authorization: `Bearer ${token}` } };
}
