/** The command line that tries again just what failed: the ids, with the flags that shape the result. Pure. */
import { shellQuoted } from '../shell-quoted.js';
import type { DownloadOptions } from './download-options.js';

export function retryCommand(ids: readonly string[], options: DownloadOptions): string {
  const words = ['tankobon', 'download'];
  const flag = (name: string, value: string | undefined): void => {
    if (value !== undefined) words.push(name, shellQuoted(value));
  };
  flag('--output', options.output);
  flag('--quality', options.quality);
  flag('--name', options.name);
  flag('--download-archive', options.downloadArchive);
  flag('--share', options.share);
  flag('--max-outage', options.maxOutage);
  flag('--limit-rate', options.limitRate);
  if (options.force) words.push('--force');
  if (options.update) words.push('--update');
  if (options.cover) words.push('--cover');
  if (options.markRead) words.push('--mark-read');
  if (options.metadata === false) words.push('--no-metadata');
  if (options.reports === false) words.push('--no-reports');
  return [...words, ...ids].join(' ');
}
