/** Reads an archive for yauzl, which reads each entry of the directory by itself: the end of the file is read once. */
import { RandomAccessReader } from 'yauzl';
import type { OpenedFile } from '../opened-file.js';

/** yauzl reads as much at once, in search of the directory's end. */
const END_BYTES = 66 * 1024;

type OnRead = (error: Error | null, bytesRead?: number) => void;

/** Closes nothing: the file belongs to the caller of `open`. */
export class YauzlReader extends RandomAccessReader {
  private constructor(
    private readonly file: OpenedFile,
    private readonly onThrown: (error: unknown) => void,
  ) {
    super();
  }

  /** `onThrown` is called with what yauzl throws when it is given bytes, which nothing else would catch. */
  static async open(file: OpenedFile, onThrown: (error: unknown) => void): Promise<YauzlReader> {
    await file.keepEnd(END_BYTES);
    return new YauzlReader(file, onThrown);
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: OnRead) {
    const target = buffer.subarray(offset, offset + length);
    // A promise for each of thousands of short reads takes longer than they do.
    if (this.file.copyKept(target, position)) {
      done(null, length);
      return;
    }
    this.file
      .read(target, position)
      .then(
        (bytesRead) => {
          done(null, bytesRead);
        },
        (error: unknown) => {
          done(error as Error);
        },
      )
      .catch(this.onThrown);
  }

  override close(done: (error: Error | null) => void): void {
    done(null);
  }
}
