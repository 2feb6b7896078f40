import MarkdownIt from 'markdown-it';
import type { Markup } from '../../../edge/browser/markup.js';

/**
 * What operators write: CommonMark without HTML, and without images, which would be loaded from elsewhere. Links lead to
 * the web or to an address of mail.
 */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');

markdown.validateLink = (url) => /^(?:https?:|mailto:)/i.test(url.trim());

markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer');
  return self.renderToken(tokens, index, options);
};

/** Headings stand below those of the page: an `#` of theirs is a fourth-level heading. */
for (const rule of ['heading_open', 'heading_close'])
  markdown.renderer.rules[rule] = (_tokens, _index) => (rule === 'heading_open' ? '<h4>' : '</h4>\n');

/** Safe to send: nothing of it runs, and nothing is loaded. */
export const markdownOf = (text: string): Markup => ({ markup: markdown.render(text) });
