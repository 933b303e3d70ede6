/** Passes each warning on once: a repetition in the same words says nothing. */
export function warningOnce<T extends { readonly type: string }>(
  observe: (event: T) => void,
): (event: T) => void {
  const seen = new Set<string>();
  return (event) => {
    const text = event.type === 'warning' ? JSON.stringify(event) : undefined;
    if (text !== undefined && seen.has(text)) return;
    if (text !== undefined) seen.add(text);
    observe(event);
  };
}
