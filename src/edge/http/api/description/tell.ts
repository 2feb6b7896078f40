import { ApiExtension } from '@nestjs/swagger';

/** Says something of the route that it decorates, or whose parameter it decorates: one of `OperationTraits`. */
export function tell(trait: `x-${string}`, value: unknown) {
  return (target: object, key: string | symbol): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor) ApiExtension(trait, value)(target, key, descriptor);
  };
}
