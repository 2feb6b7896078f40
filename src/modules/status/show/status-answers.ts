import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { StatusBoard } from '../board/status-board.js';
import type { StatusSnapshot } from '../board/status-snapshot.js';
import { statusPage } from './status.page.js';
import { statusAnswer } from './status-answer.js';
import { statusFeed } from './status-feed.js';

export type MadeAnswer = { readonly text: string; readonly etag: string };

type Form = 'page' | 'json' | 'feed';

/** Status responses, created once for all callers until the status changes. */
@Injectable()
export class StatusAnswers {
  #made: { readonly of: StatusSnapshot; readonly forms: Map<Form, MadeAnswer> } | null = null;

  constructor(
    @Inject(StatusBoard) private readonly board: StatusBoard,
    @Inject(StatusSettings) private readonly settings: StatusSettings,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  async in(form: Form): Promise<MadeAnswer> {
    const snapshot = await this.board.current();
    if (this.#made?.of !== snapshot) this.#made = { of: snapshot, forms: new Map() };
    const { forms } = this.#made;
    const known = forms.get(form);
    if (known) return known;
    const text = this.#write(form, snapshot);
    const made = { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
    forms.set(form, made);
    return made;
  }

  #write(form: Form, snapshot: StatusSnapshot): string {
    const { everyMs } = this.settings;
    const { statusUrl } = this.urls;
    const feedUrl = `${statusUrl}.rss`;
    switch (form) {
      case 'page':
        return statusPage(snapshot, everyMs, feedUrl);
      case 'json':
        return JSON.stringify(statusAnswer(snapshot, { everyMs, feedUrl }));
      case 'feed':
        return statusFeed(snapshot.incidents, statusUrl, feedUrl);
    }
  }
}
