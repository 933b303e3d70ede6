/** Finished pages in one temporary file, until all of them are known: a book of any size needs little memory. */
import { rm, type FileHandle } from 'node:fs/promises';
import { createFile, PRIVATE_FILE_MODE } from '../../core/files.js';

export class PageSpool {
  #end = 0;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {}

  /** `file` must not exist. */
  static async create(file: string): Promise<PageSpool> {
    return new PageSpool(file, await createFile(file, { mode: PRIVATE_FILE_MODE }));
  }

  /** Resolves with a function that reads the page back. */
  async append(page: Uint8Array): Promise<() => Promise<Buffer>> {
    const position = this.#end;
    this.#end += page.length;
    for (let written = 0; written < page.length;) {
      const { bytesWritten } = await this.handle.write(
        page,
        written,
        page.length - written,
        position + written,
      );
      written += bytesWritten;
    }
    return async () => {
      const { buffer, bytesRead } = await this.handle.read(
        Buffer.alloc(page.length),
        0,
        page.length,
        position,
      );
      if (bytesRead < page.length) throw new Error('the temporary file of the pages was changed');
      return buffer;
    };
  }

  /** Removes the file. */
  async close(): Promise<void> {
    await this.handle.close();
    await rm(this.file, { force: true });
  }
}
