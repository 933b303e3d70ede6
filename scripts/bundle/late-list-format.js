/**
 * In the place of Intl.ListFormat, which a package of got's makes two of at its start, and uses for messages that
 * hardly anybody sees: to load the tables of languages takes 20 ms.
 */
export class LateListFormat {
  #made;
  #wish;

  constructor(...wish) {
    this.#wish = wish;
  }

  format(list) {
    const { ListFormat } = Intl;
    return (this.#made ??= new ListFormat(...this.#wish)).format(list);
  }
}
