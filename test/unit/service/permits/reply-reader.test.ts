/** What a Redis server replies, however it is cut into chunks. */
import { RedisFailure } from '../../../../src/service/redis/redis-failure.js';
import { ErrorReply, ReplyReader, type Reply } from '../../../../src/service/redis/reply-reader.js';

/** Read in chunks of this size. */
function read(text: string, chunkBytes: number): Reply[] {
  const bytes = Buffer.from(text);
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    replies.push(...reader.read(bytes.subarray(at, at + chunkBytes)));
  return replies;
}

const NESTED = '*5\r\n$5\r\nstale\r\n:-12\r\n*2\r\n$3\r\n漫\r\n$0\r\n\r\n$-1\r\n*-1\r\n';

test.each<readonly [string, readonly Reply[]]>([
  ['+OK\r\n', ['OK']],
  [':7\r\n', [7]],
  ['*0\r\n', [[]]],
  ['$4\r\na\r\nb\r\n', ['a\r\nb']],
  [NESTED, [['stale', -12, ['漫', ''], null, null]]],
  ['+a\r\n:1\r\n$1\r\nb\r\n', ['a', 1, 'b']],
  ['-OOM no\r\n', [new ErrorReply('OOM no')]],
  [`$100000\r\n${'x'.repeat(100_000)}\r\n+a\r\n`, ['x'.repeat(100_000), 'a']],
  ['$5\r\nab', []],
])('replies are the same in chunks of any size: row %#', (text, replies) => {
  for (const chunkBytes of [1, 2, 7, 65_536, 1_000_000])
    expect(read(text, chunkBytes)).toEqual(replies);
});

test.each([
  'HTTP/1.1 400 Bad Request\r\n',
  ':1e3\r\n',
  '$x\r\n',
  '$9999999999\r\n',
  '*9999999999\r\n',
  '*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n',
  `+${'x'.repeat(5_000_000)}`,
  `*1000\r\n${`+${'x'.repeat(9_000)}\r\n`.repeat(1_000)}`,
  `*1000\r\n${'$9000\r\n'.padEnd(9_008, 'x').concat('\r\n').repeat(1_000)}`,
])('what is too large or not a reply is refused: row %#', (text) => {
  for (const chunkBytes of [1_000, 65_536])
    expect(() => read(text, chunkBytes)).toThrow(RedisFailure);
});
