import './register-typescript.js';

// State shared by all test files of a worker. Jest copies the properties that the global object has at that time into
// the context of each file, so this module must be imported before Jest's environment.

globalThis.openApiCheckerOfWorker = async (base) => {
  const { OpenApiChecker } = await import('../service/openapi-checker.ts');
  return OpenApiChecker.of(base);
};
