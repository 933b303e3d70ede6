/** In the place of http2-wrapper: got loads it at its start, and with `http2: false` never asks it anything. */
const http2 = {
  auto() {
    throw new Error('tankobon speaks HTTP/1.1.');
  },
};

export default http2;
