/** How chapters can be bound into books. */
export const BIND_BY = ['volume', 'title'] as const;
export const BIND_FORMATS = ['cbz', 'epub', 'pdf', 'folder'] as const;
