import './register-typescript.js';

// Shared by all test files of a worker. Jest copies the existing properties of the global object into the context of
// each file, so this must be imported before Jest's environment.

globalThis.openApiCheckerOfWorker = async (base) => {
  const { OpenApiChecker } = await import('../service/openapi-checker.ts');
  return OpenApiChecker.of(base);
};
