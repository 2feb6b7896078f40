import { json, lockedByNpm, packed, RAN, type Template } from './template.js';

/**
 * The project that `npm create vite` creates for React, with Tailwind added by its guide (tailwindcss.com, “Using
 * Vite”).
 */
const viteReactTailwind: Template = {
  name: 'vite-react-tailwind',
  title: 'Vite + React',
  tree: () => {
    const { 'package.json': _, 'index.html': page, ...made } = packed('create-vite@9.3.0', 'template-react');
    return lockedByNpm({
      ...made,
      'index.html': String(page).replace(/<title>.*<\/title>/, '<title>Vite + React</title>'),
      'package.json': json({
        name: 'vite-react-tailwind',
        private: true,
        type: 'module',
        scripts: { build: 'vite build' },
        dependencies: { react: '19.3.1', 'react-dom': '19.3.1' },
        devDependencies: {
          '@tailwindcss/vite': '4.3.3',
          '@vitejs/plugin-react': '6.1.2',
          tailwindcss: '4.3.3',
          vite: '8.3.8',
        },
      }),
      'vite.config.js': `import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
export default defineConfig({ plugins: [react(), tailwindcss()] });
`,
      'src/index.css': '@import "tailwindcss";\n',
      'src/main.jsx': `import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import './index.css';
import App from './App.jsx';
function Site() {
  useEffect(() => { ${RAN} }, []);
  return <div className="underline"><App /></div>;
}
createRoot(document.getElementById('root')).render(<Site />);
`,
    });
  },
};

const eleventy: Template = {
  name: 'eleventy',
  title: 'Made with Eleventy',
  tree: () =>
    lockedByNpm({
      'package.json': json({
        private: true,
        scripts: { build: 'eleventy' },
        devDependencies: { '@11ty/eleventy': '3.1.8' },
      }),
      '_includes/page.njk': `<!doctype html><title>{{ title }}</title>{{ content | safe }}<script>${RAN}</script>`,
      'index.md': '---\ntitle: Made with Eleventy\nlayout: page.njk\n---\n# Hello\n',
    }),
};

const plain: Template = {
  name: 'plain',
  title: 'Made by a script',
  tree: () => ({
    'package.json': json({ private: true, scripts: { build: 'node build.js' } }),
    'build.js': `const { cpSync, mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('build', { recursive: true });
cpSync('src', 'build', { recursive: true });
writeFileSync('build/index.html', '<!doctype html><title>Made by a script</title><script src="main.js"></script>');
`,
    'src/main.js': RAN,
  }),
};

/** The templates that CI builds. */
export const quick: readonly Template[] = [viteReactTailwind, eleventy, plain];
