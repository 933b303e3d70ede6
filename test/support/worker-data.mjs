/**
 * jest-light-runner 0.7 sends its configuration to all test processes as soon as the first one asks for it. One that
 * asks later gets no reply, and waits forever; here it is given what it was sent before.
 */
import process from 'node:process';
import { setImmediate } from 'node:timers';

const { emit, send } = process;
let data;

process.emit = (name, message, ...rest) => {
  if (name === 'message' && message?.type === 'jest-light-runner-worker-data') data = message;
  return emit.call(process, name, message, ...rest);
};

if (send)
  process.send = (message, ...rest) => {
    if (message !== 'jest-light-runner-get-worker-data' || data === undefined)
      return send.call(process, message, ...rest);
    setImmediate(() => process.emit('message', data));
    return true;
  };
