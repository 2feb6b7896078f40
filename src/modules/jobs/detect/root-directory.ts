import { refuse } from '../../../kernel/refusal.js';

/** The folder that is asked for: canonical, `.` for all of it. Refuses with `invalid_request`. */
export function rootDirectoryOf(text: string | null): string {
  const path = (text ?? '.').replace(/^(?:\.?\/)+|(?<!\/)\/+$/g, '');
  if (path === '' || path === '.') return '.';
  const isPath = path.length <= 1_024 && !/[\p{Control}\\]/u.test(path) && path.isWellFormed();
  if (isPath && path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')) return path;
  const message = 'is not a folder in the repository, such as packages/site';
  return refuse('invalid_request', `rootDirectory ${message}.`, [{ path: 'rootDirectory', message }]);
}
