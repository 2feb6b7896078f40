import './register-typescript.js';

// State shared by all test files of a worker. When Jest's environment is imported, it records the global object's
// properties for the context of each file, so this module must be imported first.

globalThis.openApiCheckerOfWorker = async (base) => {
  const { OpenApiChecker } = await import('../service/openapi-checker.ts');
  return OpenApiChecker.of(base);
};
