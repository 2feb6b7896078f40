import './register-typescript.js';

// What all test files of a worker share. Jest copies the properties that the global object has by now into the context of
// each file, so this has to be imported before Jest's environment.

globalThis.openApiCheckerOfWorker = async (base) => {
  const { OpenApiChecker } = await import('../service/openapi-checker.ts');
  return OpenApiChecker.of(base);
};
