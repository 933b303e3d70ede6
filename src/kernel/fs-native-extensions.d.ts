/** The two calls of the package that we use; it ships no types of its own. */
declare module 'fs-native-extensions' {
  /** Whether the exclusive lock on the whole open file was granted. Throws where the system refuses to say. */
  export function tryLock(descriptor: number): boolean;
  export function unlock(descriptor: number): void;
}
