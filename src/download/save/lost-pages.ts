/**
 * Pages that no node has as uploaded. In their place are compressed ones: those that the file has which an update replaces,
 * or with `--lost-pages data-saver` those of the service. The record names them, and each update tries the full ones again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LostPages } from '../../config/quality.js';
import { hasCode } from '../../core/errors.js';
import { comparedFile, type KnownFile, type Write } from '../../plan/change.js';
import { digestInFileName } from '../../service/at-home.js';
import type { PageJob } from './page.js';
import type { Workspace } from './workspace.js';

/** What is known of the lost pages of a chapter while it is loaded. */
export interface Substitutes {
  /** The names of the compressed pages; empty if they take no place. */
  readonly names: readonly string[];
  /** The file that an update replaces, or the book that has the chapter, if it has compressed pages. */
  readonly saved: KnownFile | undefined;
  /** The pages that a compressed one is in place of, counted from 1. */
  readonly used: Set<number>;
}

export function substitutesOf(
  change: Write,
  lostPages: LostPages | undefined,
  { data, dataSaver }: { readonly data: readonly string[]; readonly dataSaver: readonly string[] },
): Substitutes {
  const compared = comparedFile(change);
  const saved = compared?.saved.dataSaverPages === undefined ? undefined : compared;
  const isUsed = lostPages === 'data-saver' && dataSaver.length === data.length;
  return { names: isUsed ? dataSaver : [], saved, used: new Set() };
}

/** Gives the workspace the pages of the file that the service still has, so that only the lost ones are loaded. */
export async function keepSavedPages(
  { saved }: Substitutes,
  names: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  if (!saved) return;
  const { keepFullPages } = await import('./saved-pages.js');
  await keepFullPages(saved, names.map(digestInFileName), workspace, signal);
}

/** Loads a page, and where no node has it, takes a compressed one. Throws as loadPage does. */
export async function loadOrSubstitute(
  page: PageJob,
  { names, saved, used }: Substitutes,
  workspace: Workspace,
  load: (page: PageJob) => Promise<void>,
): Promise<void> {
  try {
    await load(page);
    return;
  } catch (error) {
    if (!hasCode(error, 'page-lost')) throw error;
    const isTaken = saved !== undefined && (await takeSavedPage(saved, page.page, workspace));
    const fileName = names[page.page - 1];
    if (!isTaken) {
      if (fileName === undefined || page.quality !== 'data') throw error;
      await load({ ...page, quality: 'data-saver', fileName, isCompressed: true });
    }
    used.add(page.page);
  }
}

/** Whether the chapter has the pages that its file has already: all lost pages are still lost. */
export function isAsSaved({ saved }: Substitutes, digests: readonly string[]): boolean {
  return saved !== undefined && isDeepStrictEqual(saved.saved.pages, digests);
}

async function takeSavedPage(
  saved: KnownFile,
  page: number,
  workspace: Workspace,
): Promise<boolean> {
  const { takeCompressedPage } = await import('./saved-pages.js');
  return takeCompressedPage(saved, page, workspace);
}
