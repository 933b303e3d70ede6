/** A listener whose queue is full: the kernel lets further connections hang. POSIX only; Windows refuses them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** It blocks its event loop, so that it accepts nothing, until a byte comes on standard input. */
const SCRIPT = `
const { readSync, writeSync } = require('node:fs');
const server = require('node:net').createServer((socket) => socket.on('error', () => undefined));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  writeSync(1, server.address().port + '\\n');
  readSync(0, Buffer.alloc(1));
});`;

export interface FullListener {
  readonly port: number;
  /** Accepts the connections that wait. */
  readonly accept: () => void;
  readonly stop: () => void;
}

export async function startFullListener(): Promise<FullListener> {
  const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  const fillers: Socket[] = [];
  // The queue holds one or two more than its length, which depends on the system.
  for (let count = 0; count < 4; count += 1) {
    fillers.push(connect(port, '127.0.0.1').on('error', () => undefined));
  }
  const [first] = fillers;
  if (first) await once(first, 'connect');
  return {
    port,
    accept: () => void child.stdin.write('\n'),
    stop: () => {
      for (const socket of fillers) socket.destroy();
      child.kill();
    },
  };
}
