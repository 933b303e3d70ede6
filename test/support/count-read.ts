/** Counts the files of which a scan finds out which chapters they have. */
import { FolderStore } from '../../src/library/store.js';

/** Until `restore` is called. */
export function countRead(): { readonly files: () => number; readonly restore: () => void } {
  const original = Object.getOwnPropertyDescriptor(FolderStore.prototype, 'set') ?? {};
  const set = original.value as FolderStore['set'];
  let files = 0;
  Object.defineProperty(FolderStore.prototype, 'set', {
    ...original,
    value(this: FolderStore, ...args: Parameters<FolderStore['set']>) {
      if (args[2].found) files += 1;
      set.apply(this, args);
    },
  });
  return {
    files: () => files,
    restore: () => {
      Object.defineProperty(FolderStore.prototype, 'set', original);
    },
  };
}
