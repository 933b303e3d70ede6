import type { Chapter } from '../../src/service/chapters.js';

/** A release of which nothing is known but what `change` says. */
export function plainRelease(change: Partial<Chapter> = {}): Chapter {
  return {
    id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0000',
    number: undefined,
    volume: undefined,
    title: undefined,
    language: 'en',
    pages: 2,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: undefined,
    readableAt: undefined,
    createdAt: undefined,
    groups: [],
    titleId: undefined,
    partialTitle: undefined,
    ...change,
  };
}
