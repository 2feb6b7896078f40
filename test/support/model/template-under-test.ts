import { expect } from '@jest/globals';
import { Template } from '../../../src/content/generation/templates/template.js';
import { Refusal } from '../../../src/kernel/refusal.js';

export const text = { type: 'string', maxLength: 2_000 };
export const schema = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 2_000 },
    intro: text,
    theme: { type: 'string', enum: ['light', 'dark'], default: 'light' },
    big: { type: 'boolean' },
    count: { type: 'integer', minimum: 0 },
    mail: text,
    links: {
      type: 'array',
      maxItems: 500,
      items: {
        type: 'object',
        required: ['label'],
        additionalProperties: false,
        properties: {
          label: text,
          url: text,
          image: text,
          tags: { type: 'array', maxItems: 500, items: text },
        },
      },
    },
  },
};

export const page = (body: string, head = '') =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{{title}}</title>${head}</head><body>${body}</body></html>`;

export const template = (body: string, head?: string, example: object = { title: 'T' }) =>
  Template.read(
    'links',
    JSON.stringify({ title: 'Links', description: 'Links.', parameters: schema, example }),
    page(body, head),
  );

/** Fills the template, checks the page around the body, and returns the body. */
export function filled(body: string, parameters: object): string {
  const html = template(body).fill({ title: 'T', ...parameters });
  const before = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>';
  expect(html.startsWith(before)).toBe(true);
  expect(html.endsWith('</body></html>')).toBe(true);
  return html.slice(before.length, -'</body></html>'.length);
}

export const refusalOf = (attempt: () => unknown): Refusal => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
};

export const withLinks = (...links: object[]) => ({ links: links.map((link) => ({ label: 'L', ...link })) });
