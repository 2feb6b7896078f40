import MarkdownIt from 'markdown-it';
import type { Markup } from '../../../edge/browser/markup.js';

/**
 * Renders Markdown without HTML, and without images, which would be loaded from other hosts. Links can use https, http
 * and mailto.
 */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');

markdown.validateLink = (url) => /^(?:https?:|mailto:)/i.test(url.trim());

markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer');
  return self.renderToken(tokens, index, options);
};

/** Renders each `#` heading as a fourth-level heading, below the headings of the page. */
for (const rule of ['heading_open', 'heading_close'])
  markdown.renderer.rules[rule] = (_tokens, _index) => (rule === 'heading_open' ? '<h4>' : '</h4>\n');

/** Renders the Markdown of an incident. The HTML contains no scripts and loads nothing from other hosts. */
export const renderMarkdown = (text: string): Markup => ({ markup: markdown.render(text) });
