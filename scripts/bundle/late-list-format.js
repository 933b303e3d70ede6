/**
 * Replaces Intl.ListFormat. A dependency of got creates two of them when it is loaded, only for messages, and that loads
 * the tables of all languages: 8 % of the start.
 */
export class LateListFormat {
  #format;
  #options;

  constructor(...options) {
    this.#options = options;
  }

  format(list) {
    const { ListFormat } = Intl;
    return (this.#format ??= new ListFormat(...this.#options)).format(list);
  }
}
