/** The lines of the journal of a sync. */
import * as z from 'zod';
import { MEDIA_SERVERS } from '../../config/hook-services.js';

const timeMs = z.number().nonnegative();
const waiting = z.object({ chapter: z.string(), number: z.string().optional(), untilMs: timeMs });

const titleSchema = z.object({
  name: z.string().optional(),
  /** The last upload that was dealt with. */
  latest: z.string().optional(),
  /** The options that it was dealt with by. */
  rules: z.string(),
  /** When all its releases were read. */
  readAtMs: timeMs,
  /** It had chapters then, of which the service names the last upload. */
  hasChapters: z.boolean().optional(),
  /** When to decide again although nothing new was uploaded. */
  againAtMs: timeMs.optional(),
  /** Releases before are not downloaded (`--from-now`). */
  sinceMs: timeMs.optional(),
  /** A chapter failed, or the run was stopped. */
  isIncomplete: z.boolean().optional(),
  /** Chapters whose files are gone are downloaded again by the next run (`sync forget`). */
  redownload: z.boolean().optional(),
  /** Written by older versions, without `gone`: a run has reported that files are gone. */
  isRemovalReported: z.boolean().optional(),
  /** The downloaded chapters whose files are gone, which a run has reported. */
  gone: z.array(z.string()).optional(),
  waiting: z.array(waiting).default([]),
  /** The chapters that the service does not have, and that a run has reported. */
  reported: z.array(z.string()).optional(),
  /** The reported chapters that were taken down, and whose files are there. */
  takenDown: z.array(z.string()).optional(),
  /** The chapters that the service moved here from titles with other output folders, and that got files here. */
  movedHere: z.array(z.string()).optional(),
  /** The chapters whose changes were dealt with, each with its version and time. */
  compared: z.array(z.string()).optional(),
  /** The read chapters that have files, as text. */
  read: z.string().optional(),
  /** What its books on the device were made of, as text. */
  device: z.string().optional(),
});

/** Releases of followed titles before are not downloaded (`--from-now`). */
const follows = z.object({ sinceMs: timeMs.optional() });

/** A title or a list of which something failed. */
const failure = z.object({
  target: z.string(),
  name: z.string().optional(),
  message: z.string(),
});

/** A failure that hooks were called for. */
const knownFailure = z.object({
  /** Undefined if the target failed as a whole. */
  chapter: z.string().optional(),
  reason: z.string(),
  /** The hooks that do not know it, since they failed. */
  except: z.array(z.string()).optional(),
});

const hookFailure = z.object({ hook: z.string(), message: z.string() });

const runRecord = z.object({
  startedAtMs: timeMs,
  endedAtMs: timeMs,
  saved: z.number(),
  replaced: z.number(),
  skipped: z.number(),
  failed: z.number(),
  /** The code of the error that stopped it. */
  stopped: z.string().optional(),
  failures: z.array(failure).optional(),
});

const chapterUpdate = z.object({
  titleId: z.string(),
  series: z.string(),
  chapter: z.object({
    id: z.string(),
    number: z.string().optional(),
    volume: z.string().optional(),
    title: z.string().optional(),
    language: z.string(),
    groups: z.array(z.string()).readonly(),
    file: z.string(),
    /** The id of the release that it replaced. */
    replaces: z.string().optional(),
  }),
});

export const lineSchema = z.union([
  z.object({ title: z.string(), state: titleSchema }),
  /** A chapter whose download begins, and the downloaded release that it replaces. */
  z.object({ started: z.string(), replaces: z.string().optional() }),
  z.object({ saved: chapterUpdate }),
  /** Chapters of which the hooks know, except those hooks that failed. */
  z.object({ announced: z.array(z.string()), except: z.array(z.string()).optional() }),
  /** A title whose files were changed otherwise, and the media servers that are to scan its folder. */
  z.object({
    changed: z.string(),
    name: z.string(),
    folder: z.string(),
    servers: z.array(z.enum(MEDIA_SERVERS)),
  }),
  /** A title whose files say what the service said of it, as a digest. */
  z.object({ described: z.string(), digest: z.string() }),
  /** Chapters that were started, and not saved by a run that was not killed. */
  z.object({ ended: z.array(z.string()) }),
  /** Titles that are no longer subscribed. */
  z.object({ forgotten: z.array(z.string()) }),
  /** A title with chapters that are not bound yet, from before their download until `bound`. */
  z.object({ unbound: z.string() }),
  z.object({ bound: z.string() }),
  /** A title, and releases of chapters that its subscription does not keep any more, or keeps again. */
  z.object({ notKept: z.string(), add: z.array(z.string()), remove: z.array(z.string()) }),
  /** A book of a title in a folder on a device: its files below that, and its chapters; none after its owner removed it. */
  z.object({
    deviceBook: z.string(),
    folder: z.string(),
    book: z.string(),
    files: z.array(z.string()),
    chapters: z.array(z.string()),
    /** The chapters of the book when its owner removed it. */
    removed: z.array(z.string()),
  }),
  /** A title that was merged into another one, and the name that it had. */
  z.object({ merged: z.string(), into: z.string(), name: z.string().optional() }),
  z.object({ follows }),
  z.object({ run: runRecord }),
  /** The hooks of the last run that failed. */
  z.object({ hooksFailed: z.array(hookFailure) }),
  /** The failures of a target that hooks were called for; none once they are over. */
  z.object({ notified: z.string(), failures: z.array(knownFailure) }),
  z.object({ nextRunMs: timeMs }),
  /** When the last run began that checked all titles. */
  z.object({ checkedAtMs: timeMs }),
]);

export type SyncLine = z.output<typeof lineSchema>;
type ChangedLine = Extract<SyncLine, { readonly changed: string }>;
type DeviceBookLine = Extract<SyncLine, { readonly deviceBook: string }>;
export type DeviceBook = Omit<DeviceBookLine, 'deviceBook'>;
export type ChangedTitle = Omit<ChangedLine, 'changed'>;
export type TitleState = z.output<typeof titleSchema>;
export type FollowsState = z.output<typeof follows>;
export type RunRecord = z.output<typeof runRecord>;
export type KnownFailure = z.output<typeof knownFailure>;
export type HookFailureRecord = z.output<typeof hookFailure>;
export type RunFailure = z.output<typeof failure>;
