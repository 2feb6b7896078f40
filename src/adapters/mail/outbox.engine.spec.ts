import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutboxMail } from './outbox.engine.js';

describe('The outbox', () => {
  let folder: string;
  let outbox: OutboxMail;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outbox-'));
    outbox = new OutboxMail(folder, 'stele@example.org', () => undefined);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const mail = { to: 'ann@example.org', subject: 'Hello', text: 'See https://example.org/x', html: '<p>See</p>' };

  it('mail that was sent is listed with its links', async () => {
    await outbox.send(mail);
    expect(await outbox.list()).toMatchObject([
      { to: mail.to, text: mail.text, at: expect.any(String), links: ['https://example.org/x'] },
    ]);
  });

  it('mail that is addressed to a user or mentions the user is deleted when the user is forgotten', async () => {
    await outbox.send(mail);
    await outbox.send({ ...mail, to: 'bob@example.org', text: 'Ann@example.org invites you' });
    await outbox.send({ ...mail, to: 'carl@example.org' });
    await outbox.forget({ email: 'ann@example.org' });
    expect(await outbox.list()).toMatchObject([{ to: 'carl@example.org' }]);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('mail that is still being written is not listed', async () => {
    await outbox.send(mail);
    const [name] = (await readdir(folder)).filter((each) => each.endsWith('.json'));
    await writeFile(join(folder, `.${name}`), '{"at":"20');
    expect(await outbox.list()).toHaveLength(1);
  });
});
