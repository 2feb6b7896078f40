/**
 * Uses an object in place of a class, of which the code under test calls only these members. Their types are checked;
 * a call of any other member fails the test.
 */
export const standIn = <Type extends object>(members: Partial<Type>): Type => members as Type;
