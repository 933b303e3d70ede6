/**
 * The terminal that cli-progress draws on. Each update is one write: messages, an empty line, and the bars below it; then
 * the cursor returns to the empty line. So the cursor and line wrapping are normal whenever nothing is being written,
 * whatever ends the process, and text from elsewhere (a path that `cat` prints, the echo of a key) lands on the empty
 * line. The next update starts below such text, and after a change of the width clears everything below the cursor.
 * Before such text of several lines is expected, the bars are erased for one update.
 */

/** From the second column: a terminal that clears from the first one of its screen keeps what was there in its scrollback. */
const ERASE_BELOW = '\r\u001B[K\u001B[C\u001B[J\r';
const BEGIN_BARS = '\u001B[?25l\u001B[?7l';
const END_BARS = '\u001B[?7h\u001B[?25h';
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

const nothing = (): void => undefined;

/** The methods that cli-progress calls. Those for single steps do nothing: updates are drawn whole. */
export class BarTerminal {
  #messages = '';
  #isPaused = false;
  #skipsUpdate = false;
  #rows: string[] = [''];
  readonly cursor = nothing;
  readonly cursorSave = nothing;
  readonly cursorRestore = nothing;
  readonly cursorTo = nothing;
  readonly cursorRelative = nothing;
  readonly clearRight = nothing;
  readonly clearLine = nothing;
  readonly clearBottom = nothing;
  readonly lineWrapping = nothing;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** Begins an update. */
  cursorRelativeReset(): void {
    this.#rows = [''];
  }

  write(text: string, isMessage = false): void {
    if (isMessage) this.#messages += text;
    else this.#rows[this.#rows.length - 1] = text;
  }

  newline(): void {
    this.#rows.push('');
  }

  /**
   * Ends an update. More bars than the screen has lines would scroll it, so the last ones are left out.
   * @param progress the codes that show the progress elsewhere, if they change
   */
  draw(progress: () => string): void {
    const isSkipped = this.#skipsUpdate && this.#messages === '';
    this.#skipsUpdate = false;
    if (this.#isPaused || isSkipped) return;
    const rows = this.#rows.slice(0, Math.max(1, (this.stream.rows || DEFAULT_ROWS) - 2));
    const bars = `\n${rows.join('\n')}\u001B[${rows.length}A\r`;
    this.stream.write(
      `${ERASE_BELOW}${this.#messages}${BEGIN_BARS}${bars}${END_BARS}${progress()}`,
    );
    this.#messages = '';
  }

  /** Erases the bars. Messages are kept until `resume`. */
  pause(): void {
    this.erase();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Erases the bars until the update after the next one: text from elsewhere may take several lines. */
  eraseForText(): void {
    this.erase();
    this.#skipsUpdate = true;
  }

  erase(): void {
    if (!this.#isPaused) this.stream.write(ERASE_BELOW);
  }

  /** Leaves the terminal as it was: to the shell, or to the lines that follow. */
  leave(codes: string): void {
    this.erase();
    if (codes !== '') this.stream.write(codes);
  }

  isTTY(): boolean {
    return true;
  }

  getWidth(): number {
    return this.stream.columns || DEFAULT_COLUMNS;
  }
}
