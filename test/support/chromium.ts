/** Debian's Chromium, driven by playwright-core. */
import { chromium, type Browser } from 'playwright-core';

/** A container's root cannot use Chromium's sandbox; the pages are the tests' own files. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    // A busy machine takes long to start it.
    timeout: 120_000,
  });
}
