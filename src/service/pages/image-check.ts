/** Checks a response: is it the requested page, another image, or neither? */
import type { IncomingMessage } from 'node:http';
import { imageExtension, type ImageExtension } from '../../core/image-format.js';
import { hasValidTrailer } from '../../core/image-trailer.js';
import { imageDimensions } from '../../core/image-dimensions.js';
import type { LoadReason } from '../../events/reasons.js';

/** A complete image. */
export interface CheckedImage {
  /** Its sha256, lower-case hex. */
  readonly digest: string;
  readonly crc32: number;
  readonly extension: ImageExtension;
}

export type ImageCheck =
  | ({ readonly ok: true } & CheckedImage)
  | {
      readonly ok: false;
      readonly reason: LoadReason;
      readonly message: string;
      /** With `bad-digest`: the complete image that was received instead; it is in the file. */
      readonly image?: CheckedImage;
    };

export function failed(reason: LoadReason, message: string, image?: CheckedImage): ImageCheck {
  return { ok: false, reason, message, image };
}

/** A received body. */
export interface ImageBody {
  readonly bytes: number;
  /** Its first SIGNATURE_BYTES bytes. */
  readonly head: Buffer;
  digest(): string;
  readonly crc32: number;
  read(): Promise<Buffer>;
}

/** Checks a complete body. `expectedDigest` is the digest in the page's file name, if it has one. */
export async function checkImage(
  response: Pick<IncomingMessage, 'headers'> | undefined,
  expectedDigest: string | undefined,
  body: ImageBody,
): Promise<ImageCheck> {
  if (body.bytes === 0) return failed('bad-length', 'The response is empty.');
  const announced = Number(response?.headers['content-length'] ?? body.bytes);
  if (announced !== body.bytes)
    return failed('bad-length', `Received ${body.bytes} of ${announced} bytes.`);
  const extension = imageExtension(body.head);
  if (!extension) return notAnImage(response);
  const image: CheckedImage = { digest: body.digest(), crc32: body.crc32, extension };
  if (image.digest === expectedDigest) return { ok: true, ...image };
  // The right length proves nothing: nodes serve truncated copies as complete responses.
  const bytes = await body.read();
  if (!hasValidTrailer(extension, bytes))
    return failed('bad-length', `The image is incomplete or damaged (${body.bytes} bytes).`);
  if (expectedDigest === undefined) return { ok: true, ...image };
  return failed(
    'bad-digest',
    `The sha256 does not match the one in the file name: ${image.digest}`,
    (await imageDimensions(bytes)) ? image : undefined,
  );
}

export function notAnImage(response: Pick<IncomingMessage, 'headers'> | undefined): ImageCheck {
  const type = response?.headers['content-type'] ?? 'none';
  return failed('not-an-image', `The response is not an image (content type: ${type}).`);
}

export function checkStatus(status: number): ImageCheck | undefined {
  if (status === 200) return undefined;
  const message = `The node responded with status ${status}.`;
  if (status === 403 || status === 410) return failed('base-url-expired', message);
  return failed(status >= 300 && status < 400 ? 'redirected' : 'bad-status', message);
}
