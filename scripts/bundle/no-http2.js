/** Replaces http2-wrapper, which got loads at its start and with `http2: false` does not call: 12 % of the start. */
const http2 = {
  auto() {
    throw new Error('tankobon uses HTTP/1.1.');
  },
};

export default http2;
