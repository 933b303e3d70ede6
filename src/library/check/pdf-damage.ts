/** A PDF has no checksums: its end and the place of its table of objects are checked. */
import { manifestIdentities } from '../mark.js';
import { readPdfContent } from '../read/pdf-content.js';
import { damaged, type CheckOptions } from './damage.js';

export async function checkPdf(path: string, { onMark }: CheckOptions): Promise<undefined> {
  // A check uses no bytes of the file.
  const { mark, manifest, damage } = await readPdfContent(path, 'pages', { anyOwner: true });
  // A copy, such as a book for a device, names no chapters.
  const chapters = mark === 'book' ? manifestIdentities(manifest) : [];
  if (chapters.length > 0) onMark({ chapters, isBook: true });
  if (damage !== undefined) throw damaged('unreadable', 'its end is lost');
}
