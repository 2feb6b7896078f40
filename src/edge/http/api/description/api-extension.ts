import { ApiExtension } from '@nestjs/swagger';

export function attachTrait(trait: `x-${string}`, value: unknown) {
  return (target: object, key: string | symbol): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor) ApiExtension(trait, value)(target, key, descriptor);
  };
}
