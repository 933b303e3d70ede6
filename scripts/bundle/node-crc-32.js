/** Replaces crc-32 in archiver by Node's own, and by the checksum that is known of an entry. */
import { checksumOf } from '../../src/core/zip/entry-checksum.ts';

export default { buf: checksumOf };
