/** The two calls of the package that we use; it ships no types of its own. */
declare module 'fs-native-extensions' {
  const locks: {
    /** Whether the exclusive lock on the whole open file was granted. Throws where the system refuses to say. */
    tryLock(descriptor: number): boolean;
    unlock(descriptor: number): void;
  };
  export default locks;
}
