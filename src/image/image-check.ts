/** What a response comes to: the page, another image, or nothing of use. */
import type { IncomingMessage } from 'node:http';
import { imageExtension, type ImageExtension } from './format.js';
import { hasValidTrailer } from './trailer.js';
import { imageDimensions } from './dimensions.js';
import type { ImageBody } from './image-body.js';
import type { LoadReason } from './load-reason.js';

/** A whole picture: what its bytes hash to, and what its first bytes say it is. */
interface CheckedImage {
  readonly digest: string;
  readonly extension: ImageExtension;
}

export type ImageCheck =
  | ({ readonly ok: true } & CheckedImage)
  | {
      readonly ok: false;
      readonly reason: LoadReason;
      readonly message: string;
      /** With `bad-digest`: the complete image that came instead; it is in the file. */
      readonly image?: CheckedImage;
    };

export function failed(reason: LoadReason, message: string, picture?: CheckedImage): ImageCheck {
  return { ok: false, reason, message, ...(picture ? { image: picture } : {}) };
}

/** The whole body is there: is it the page? `readAll` gives its bytes once more. */
export async function checkImage(
  head: IncomingMessage | undefined,
  promisedDigest: string | undefined,
  body: ImageBody,
  readAll: () => Promise<Buffer>,
): Promise<ImageCheck> {
  if (body.bytes === 0) return failed('bad-length', 'An empty answer came.');
  const announced = Number(head?.headers['content-length'] ?? body.bytes);
  if (announced !== body.bytes)
    return failed('bad-length', `${body.bytes} bytes came, ${announced} were announced.`);
  const extension = imageExtension(body.head);
  if (!extension) return notAnImage(head);
  const picture: CheckedImage = { digest: body.digest(), extension };
  if (picture.digest === promisedDigest) return { ok: true, ...picture };
  // The end of the body proves nothing: nodes serve truncated copies as complete responses.
  const bytes = await readAll();
  if (!hasValidTrailer(extension, bytes))
    return failed('bad-length', `The image is incomplete or damaged (${body.bytes} bytes came).`);
  if (promisedDigest === undefined) return { ok: true, ...picture };
  return failed(
    'bad-digest',
    `The bytes have the sha256 ${picture.digest}, not the one in the name.`,
    (await imageDimensions(bytes)) ? picture : undefined,
  );
}

export function notAnImage(head: IncomingMessage | undefined): ImageCheck {
  return failed(
    'not-a-picture',
    `What came is no picture (${head?.headers['content-type'] ?? 'no type given'}).`,
  );
}

export function refusal(status: number): ImageCheck {
  if (status === 403 || status === 410)
    return failed('base-url-expired', `The node answered ${status}.`);
  if (status >= 300 && status < 400) return failed('redirected', `The node answered ${status}.`);
  return failed('bad-status', `The node answered ${status}.`);
}
