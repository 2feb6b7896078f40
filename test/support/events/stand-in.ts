/**
 * Lets a test use an object instead of an instance of a class. The object has only the members that the code under test
 * uses. Their types are checked, and a call of any other member fails the test.
 */
export const standIn = <Type extends object>(members: Partial<Type>): Type => members as Type;
