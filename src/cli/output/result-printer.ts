/** The results of a download or a sync by the template of `--print`, one line each. */
import {
  CHAPTER_FIELD_NAMES,
  compilePrintTemplate,
  type PrintTemplate,
  type PrintValues,
} from '../../config/print-template.js';
import type { Plan } from '../../download/plan.js';
import { whyLoaded } from '../../plan/change.js';
import type { ChapterFields } from '../../events/chapter-fields.js';
import { chapterWebUrl } from '../../config/service-addresses.js';
import type { AppEvent, ResultFormat } from './observer.js';

type Planned = Pick<Plan['chapters'][number], 'job' | 'nameValues' | 'title' | 'seriesName'>;

export class ResultPrinter implements ResultFormat {
  readonly #template: PrintTemplate;
  /** What the plan knows of the chapters, by id. */
  readonly #names = new Map<string, PrintValues>();
  /** What was announced of each book, by its path. */
  readonly #books = new Map<string, PrintValues>();

  /** Throws UsageError `bad-option`. */
  constructor(template: string) {
    this.#template = compilePrintTemplate(template, CHAPTER_FIELD_NAMES);
  }

  /** Resolves when the titles are loaded, on which some fields depend; each is loaded before its chapters are saved. */
  async expect(chapters: readonly Planned[]): Promise<void> {
    await Promise.all(
      chapters.map(async ({ job, nameValues, title }) => {
        if (!nameValues) return;
        this.#names.set(job.id, nameValues(undefined));
        this.#names.set(job.id, nameValues(await title));
      }),
    );
  }

  readonly observe = (event: AppEvent): void => {
    if (event.type !== 'book-planned') return;
    const { file, series, language, volume } = event;
    this.#books.set(file, { series, language, volume });
  };

  readonly lineFor = (event: AppEvent): string => {
    const values = { ...event } as unknown as PrintValues & ChapterFields;
    const { type, file, pages, bytes, why } = values;
    const common = { type, file, pages, bytes, why };
    if (!('chapter' in event) || event.chapter === undefined)
      return this.#template.format({ ...this.#books.get(String(file)), ...common });
    const { chapter: id } = event;
    return this.#template.format({ ...this.#chapterValues(id, values), ...common });
  };

  /** The line of a chapter in the plan of a dry run. */
  planned({ job, seriesName: series }: Planned): string {
    const { id, file, change } = job;
    const values = this.#chapterValues(id, { series });
    return this.#template.format({ ...values, type: 'planned', file, why: whyLoaded(change) });
  }

  #chapterValues(id: string, fields: ChapterFields & { readonly title?: string }): PrintValues {
    const { series, volume, number, chapterTitle, group, language } = fields;
    const event = { series, volume, chapter: number, title: chapterTitle, group, language };
    const known = this.#names.get(id);
    const values = {
      ...event,
      'title-id': fields.title,
      ...Object.fromEntries(Object.entries(known ?? {}).filter(([, value]) => value !== undefined)),
    };
    return {
      ...values,
      id,
      'chapter-id': id,
      number: values.chapter,
      url: chapterWebUrl(id),
    };
  }
}
